import type { CallOptions, IdempotencyKeyOption, ProgressOption } from 'adsvc-client';
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { SignedIn } from '../account/enterFirst';
import { navigate } from '../app/router';
import { newKey, useAction } from '../data/action';
import { client } from '../data/client';
import { forgetLists } from '../data/queries';
import { announce, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import { type Draft, dropDraft, emptyDraft, keepDraft, loadDraft } from './draft';
import { AdFields, useCategory } from './form/adFields';
import { FaultSummary, fieldId, labelAt } from './form/summary';
import type { AdForm } from './form/toRequest';
import { toRequest } from './form/toRequest';
import { move } from './pictures/pictureList';
import { PicturesField, pictureError, toFiles, useObjectUrls } from './pictures/picturesField';

export function PostPage(): JSX.Element {
  return <SignedIn title={t('post.title')}>{({ id }) => <PostForm key={id} owner={id} />}</SignedIn>;
}

function useDraft(owner: number): [Draft | null, (change: (draft: Draft) => Draft) => void] {
  const [draft, setDraft] = useState<Draft | null>(null);
  useEffect(() => {
    void loadDraft(owner).then((kept) => setDraft(kept ?? emptyDraft()));
  }, []);
  function change(make: (draft: Draft) => Draft): void {
    setDraft((current) => {
      if (!current) return current;
      const next = make(current);
      // Stored at once, before the person reloads or leaves the page.
      void keepDraft(owner, next, current);
      return next;
    });
  }
  return [draft, change];
}

interface Progress {
  loaded: number;
  total: number;
}

function PostForm({ owner }: { owner: number }): JSX.Element {
  const [draft, change] = useDraft(owner);
  const [progress, setProgress] = useState<Progress | null>(null);
  const category = useCategory(draft?.form.category ?? '');
  const shown = useObjectUrls(draft?.pictures ?? []);
  const action = useAction(
    async (status: 'active' | 'draft', { form, pictures, idempotencyKey }: Draft) => {
      await keepDraft(owner, { form, pictures, idempotencyKey });
      try {
        const options: CallOptions & IdempotencyKeyOption & ProgressOption = {
          idempotencyKey,
          onProgress: setProgress,
        };
        const ad = await client.createAd(
          { ...toRequest(form, category?.attributes ?? []), status } as Parameters<typeof client.createAd>[0],
          toFiles(pictures),
          options,
        );
        await dropDraft();
        forgetLists();
        announce(status === 'draft' ? 'done.draft' : 'done.publish');
        navigate(`/a/${ad.pk}`, { replace: true });
      } finally {
        setProgress(null);
      }
    },
    { repeatable: true },
  );
  if (!draft) return <p class="loading">{t('loading')}</p>;

  // A changed form is another request, which needs its own key.
  const update = (make: (draft: Draft) => Draft): void =>
    change((current) => ({ ...make(current), idempotencyKey: newKey() }));
  const attributes = category?.attributes.map(({ name, label, labels }) => ({
    name,
    label: named(label ?? name, labels),
  }));
  const publish = (status: 'active' | 'draft'): void => void action.run(status, draft);
  return (
    <Page title={t('post.title')} narrow>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          publish('active');
        }}
      >
        <FaultSummary fault={action.fault} labelOf={(at) => labelAt(at, attributes ?? [])} />
        <PicturesField
          id={fieldId('image')}
          shown={shown}
          error={pictureError(action.fault)}
          onAdd={(added) => update((all) => ({ ...all, pictures: [...all.pictures, ...added] }))}
          onMove={(from, to) => update((all) => ({ ...all, pictures: move(all.pictures, from, to) }))}
          onRemove={(key) =>
            update((all) => ({ ...all, pictures: all.pictures.filter((one) => one.key !== key) }))
          }
        />
        <AdFields
          form={draft.form}
          fault={action.fault}
          onChange={(form: AdForm) => update((all) => ({ ...all, form }))}
        />
        {!action.fault?.errors.length && !pictureError(action.fault) && (
          <FaultNotice fault={action.fault} limited={action.limited} />
        )}
        {progress && <ProgressBar {...progress} />}
        <div class="buttons">
          <button type="submit" class="primary" disabled={action.busy || action.limited !== null}>
            {t('post.publish')}
          </button>
          <button
            type="button"
            disabled={action.busy || action.limited !== null}
            onClick={() => publish('draft')}
          >
            {t('post.saveDraft')}
          </button>
          <button
            type="button"
            class="plain"
            disabled={action.busy}
            onClick={() => {
              void dropDraft();
              change(() => emptyDraft());
              action.clear();
            }}
          >
            {t('post.clear')}
          </button>
        </div>
      </form>
    </Page>
  );
}

function ProgressBar({ loaded, total }: Progress): JSX.Element {
  const part = total > 0 ? loaded / total : 0;
  return (
    <div class="progress">
      <label for="progress">{part < 1 ? t('post.sending') : t('post.storing')}</label>
      <progress id="progress" max={1} value={part}>
        {formatNumber(Math.round(part * 100))} %
      </progress>
    </div>
  );
}
