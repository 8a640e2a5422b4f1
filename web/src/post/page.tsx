/** A new ad: written on one page, kept as a draft from the first letter. */
import './words';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { loginAddress, SignedIn } from '../account/enterFirst';
import { address, navigate } from '../app/router';
import { useAction } from '../data/action';
import { client } from '../data/client';
import { gone, toFault } from '../data/fault';
import { forgetLists, schemaQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { factorMissing, sessionEnded, user } from '../data/session';
import { registrationOpen } from '../data/site';
import { Menu } from '../elements/menu';
import { announce, announceUndo, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { named, t } from '../i18n';
import { type Draft, GUEST, openDraft, publishDraft } from './draft';
import { AdFields, placed, useCategory } from './form/adFields';
import { useJudged } from './form/judge';
import { readSchema } from './form/schema';
import { FaultSummary, fieldId, labelAt } from './form/summary';
import { PicturesField, pictureError } from './pictures/picturesField';
import { published } from './published';

export function PostPage(): JSX.Element {
  const isGuest = user.value === null && !sessionEnded.value && !factorMissing.value;
  if (isGuest && !address.value.searchParams.has('draft')) return <Open key={GUEST} owner={GUEST} />;
  return <SignedIn title={t('post.title')}>{({ id }) => <Open key={id} owner={id} />}</SignedIn>;
}

/** `/post` goes on with the draft of this device, `/post?draft=7` with that one. */
function Open({ owner }: { owner: number }): JSX.Element {
  const wanted = Number(address.value.searchParams.get('draft')) || null;
  const [draft, setDraft] = useState<Draft | null>(null);
  const open = useAction(async () => setDraft(await openDraft(owner, wanted)), { repeatable: true });
  useEffect(() => {
    if (!draft || (wanted !== null && draft.id !== wanted)) void open.run();
  }, [wanted]);
  if (open.fault) {
    return (
      <Page title={t('post.title')} narrow>
        <FaultNotice fault={open.fault} limited={open.limited} />
      </Page>
    );
  }
  if (!draft || open.busy) return <p class="loading">{t('loading')}</p>;
  return <PostForm key={draft} draft={draft} onOther={setDraft} owner={owner} />;
}

function PostForm({
  draft,
  owner,
  onOther,
}: {
  draft: Draft;
  owner: number;
  onOther: (draft: Draft) => void;
}): JSX.Element {
  const form = draft.form.value;
  const category = useCategory(form.category);
  const schema = useQuery(schemaQuery(form.category)).data;
  const { pictures, preparing } = draft.uploads;
  const judged = useJudged(form, pictures.value.length, readSchema(schema ?? {}), preparing.value);
  const publish = useAction(
    async () => {
      const form = await placed(draft.form.peek());
      if (form !== draft.form.peek()) draft.change(form);
      const ad = await publishDraft(draft);
      announce('done.publish');
      published.value = ad.pk;
      navigate(`/a/${ad.pk}`, { replace: true });
    },
    { repeatable: true },
  );
  const close = useAction(
    async () => {
      await draft.flush();
      await draft.end();
      forgetLists();
      announce('done.draft');
      navigate('/my?status=draft');
    },
    { repeatable: true },
  );
  const busy = publish.busy || close.busy || publish.limited !== null;
  const fault = judged.fault;
  const refused = publish.fault ?? close.fault;
  useEffect(() => {
    if (publish.fault?.errors.length) judged.refuse(publish.fault);
  }, [publish.fault]);

  function send(): void {
    close.clear();
    publish.clear();
    if (!judged.passes()) return;
    if (draft.isGuest) navigate(loginAddress(registrationOpen ? 'register' : 'login'));
    else void publish.run();
  }

  async function startOver(): Promise<void> {
    await draft.end();
    judged.clear();
    publish.clear();
    onOther(await openDraft(owner, null));
    navigate('/post', { replace: true, keep: true });
    announceUndo(
      'done.startOver',
      () => void draft.restore().then((again) => onOther(again)),
      () => {
        if (draft.id !== null)
          // The draft stays among one's own if this fails.
          void gone(client.deleteAd(draft.id)).then(forgetLists, toFault);
      },
    );
  }

  const at = draft.standing.value;
  const standing = busy ? t('post.publishing') : at === 'empty' ? '' : t(`post.${at}`);
  const attributes = category?.attributes.map(({ name, label, labels }) => ({
    name,
    label: named(label ?? name, labels),
  }));
  return (
    <Page title={t('post.title')} narrow>
      {draft.isGuest && <p class="faint">{t('post.guest')}</p>}
      {/* Without a button that submits it, so that Enter in a field publishes nothing. */}
      <form class="stack post-form" noValidate>
        <FaultSummary
          fault={fault}
          attempt={judged.attempt}
          labelOf={(at) => labelAt(at, attributes ?? [])}
        />
        <PicturesField id={fieldId('image')} uploads={draft.uploads} error={pictureError(fault)} />
        <AdFields form={form} fault={fault} onChange={(changed) => draft.change(changed)} />
        {!refused?.errors.length && <FaultNotice fault={refused} limited={publish.limited} />}
        <div class="post-end">
          <p class="faint" role="status">
            {standing}
          </p>
          <div class="buttons">
            <button type="button" class="primary" disabled={busy} onClick={send}>
              {t(draft.isGuest ? 'post.enter' : 'post.publish')}
            </button>
            <Menu label={t('post.more')}>
              {!draft.isGuest && (
                <button type="button" disabled={busy || draft.isEmpty} onClick={() => void close.run()}>
                  {t('post.later')}
                </button>
              )}
              <button type="button" disabled={busy || draft.isEmpty} onClick={() => void startOver()}>
                {t('post.clear')}
              </button>
            </Menu>
          </div>
        </div>
      </form>
    </Page>
  );
}
