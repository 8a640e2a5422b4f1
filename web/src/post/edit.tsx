import './words';
import type { CallOptions, IfMatchOption } from 'adsvc-client';
import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { SignedIn } from '../account/enterFirst';
import { NotFoundPage } from '../app/notFound';
import { navigate, type PageProps } from '../app/router';
import { useAction } from '../data/action';
import { type Category, client, type ExtendedAd, type User } from '../data/client';
import { type Fault, toFault } from '../data/fault';
import { keepText, keptText } from '../data/kept';
import { categoriesQuery, forgetAd, schemaQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { announce, announceUndo, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { named, t } from '../i18n';
import { Conflict } from './conflict';
import { AdFields } from './form/adFields';
import { useJudged } from './form/judge';
import { readSchema } from './form/schema';
import { FaultSummary, labelAt } from './form/summary';
import type { AdForm } from './form/toRequest';
import { differences, overlaid, settled, toChange, toForm } from './form/toRequest';
import { pictureError } from './pictures/picturesField';
import { StoredPictures } from './pictures/storedPictures';

export function EditPage({ parameters }: PageProps): JSX.Element {
  const id = Number(parameters.id);
  if (!Number.isSafeInteger(id) || id < 1) return <NotFoundPage />;
  return <SignedIn title={t('edit.title')}>{(me) => <Load {...{ id, me }} />}</SignedIn>;
}

function Load({ id, me }: { id: number; me: User }): JSX.Element {
  const [ad, setAd] = useState<ExtendedAd | null>(null);
  const [fault, setFault] = useState<Fault | null>(null);
  // Always read anew instead of from the cache: a change is based on the last version.
  useEffect(() => {
    client.getAd(id).then(setAd, (error: unknown) => setFault(toFault(error)));
  }, [id]);
  if (fault?.status === 404 || fault?.status === 410) return <NotFoundPage />;
  if (fault) {
    return (
      <Page title={t('edit.title')} narrow>
        <FaultNotice fault={fault} />
      </Page>
    );
  }
  if (!ad) return <p class="loading">{t('loading')}</p>;
  if (ad.status === 'draft' && me.id === ad.author) return <Redirect to={`/post?draft=${id}`} />;
  if (me.id !== ad.author && me.role !== 'ADMIN') {
    return (
      <Page title={t('edit.title')} narrow>
        <p>{t('problem.forbidden')}</p>
      </Page>
    );
  }
  return <EditForm id={id} read={ad} />;
}

function Redirect({ to }: { to: string }): null {
  useEffect(() => navigate(to, { replace: true }), []);
  return null;
}

interface State {
  /** The ad as last read: the next change is based on it. */
  read: ExtendedAd;
  form: AdForm;
  /** The ad as another person has changed it meanwhile. */
  theirs: ExtendedAd | null;
}

const placeOf = (id: number): string => `edit ${id}`;

/** What was typed and not saved: the form, and the ad that it began with. It outlasts a link, a reload and a session. */
interface Unsaved {
  form: AdForm;
  base: AdForm;
}

/** The changes that wait for the ad, on the ad as it is now. */
function waitingOn(id: number, read: ExtendedAd): AdForm | null {
  try {
    const { form, base } = JSON.parse(keptText(placeOf(id)) || 'null') as Unsaved;
    const now = toForm(read);
    const names = differences(base, form);
    return names.length > 0 ? overlaid(now, form, names) : null;
  } catch {
    return null;
  }
}

/** Who leaves with changes that are not saved can come back to them. Returns whether they are saved. */
function useOfferToGoOn(id: number, state: State): { current: boolean } {
  const saved = useRef(false);
  const now = useRef(state);
  now.current = state;
  const unsaved = (): boolean =>
    !saved.current && differences(toForm(now.current.read), now.current.form).length > 0;
  useEffect(() => {
    const { form, read } = state;
    keepText(placeOf(id), unsaved() ? JSON.stringify({ form, base: toForm(read) } satisfies Unsaved) : '');
  }, [state]);
  useEffect(
    () => () => {
      // After the end of a session the page itself says that they are kept.
      if (unsaved() && user.peek())
        announceUndo('edit.left', () => navigate(`/a/${id}/edit`), undefined, 'edit.goOn');
    },
    [],
  );
  return saved;
}

function EditForm({ id, read }: { id: number; read: ExtendedAd }): JSX.Element {
  const [state, setState] = useState<State>(() => ({
    read,
    form: waitingOn(id, read) ?? toForm(read),
    theirs: null,
  }));
  const [isBack, setBack] = useState(() => waitingOn(id, read) !== null);
  const saved = useOfferToGoOn(id, state);
  const schema = useQuery(schemaQuery(state.form.category)).data;
  const judged = useJudged(state.form, state.read.images.length, readSchema(schema ?? {}));
  const categories = useQuery(categoriesQuery()).data ?? [];
  const defined = (slug: string): Category['attributes'] =>
    categories.find((one) => one.slug === slug)?.attributes ?? [];
  const done = (): void => {
    saved.current = true;
    keepText(placeOf(id), '');
    forgetAd(id);
    announce('done.save');
    navigate(`/a/${id}`, { replace: true });
  };
  const action = useAction(
    async (form: AdForm, base: ExtendedAd) => {
      const change = toChange(toForm(base), settled(form), defined(form.category));
      if (Object.keys(change).length === 0) return done();
      try {
        const made: CallOptions & IfMatchOption = { ifMatch: base };
        await client.updateAd(id, change, made);
        done();
      } catch (error) {
        if (toFault(error).status !== 412) throw error;
        const theirs = await client.getAd(id);
        // If the answer to one's own change was lost, nothing differs.
        if (differences(toForm(theirs), form).length === 0) done();
        else setState((now) => ({ ...now, theirs }));
      }
    },
    { repeatable: true },
  );

  useEffect(() => {
    if (action.fault?.errors.length) judged.refuse(action.fault);
  }, [action.fault]);

  /** After a change of the pictures the record has another ETag; others may have changed it too. */
  async function readAgain(): Promise<void> {
    const now = await client.getAd(id);
    forgetAd(id);
    setState((before) => {
      const same = differences(toForm(before.read), toForm(now)).length === 0;
      return same ? { ...before, read: now } : { ...before, theirs: now };
    });
  }

  const attributes = defined(state.form.category).map(({ name, label, labels }) => ({
    name,
    label: named(label ?? name, labels),
  }));
  if (state.theirs) {
    return (
      <Conflict
        base={toForm(state.read)}
        theirs={toForm(state.theirs)}
        yours={state.form}
        categories={categories}
        busy={action.busy}
        fault={action.fault}
        onSave={(form) => {
          const theirs = state.theirs;
          if (!theirs) return;
          setState({ read: theirs, form, theirs: null });
          void action.run(form, theirs);
        }}
      />
    );
  }
  return (
    <Page title={t('edit.title')} narrow>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          action.clear();
          if (judged.passes()) void action.run(state.form, state.read);
        }}
      >
        <FaultSummary
          fault={judged.fault}
          attempt={judged.attempt}
          labelOf={(at) => labelAt(at, attributes)}
        />
        {isBack && (
          <div class="notice" role="status">
            <p>{t('edit.back')}</p>
            <button
              type="button"
              onClick={() => {
                setBack(false);
                setState((now) => ({ ...now, form: toForm(now.read) }));
              }}
            >
              {t('edit.discard')}
            </button>
          </div>
        )}
        <StoredPictures
          id={id}
          images={state.read.images}
          error={pictureError(judged.fault)}
          onChanged={readAgain}
        />
        <AdFields
          form={state.form}
          fault={judged.fault}
          onChange={(form) => setState((now) => ({ ...now, form }))}
        />
        {!action.fault?.errors.length && <FaultNotice fault={action.fault} limited={action.limited} />}
        <div class="buttons">
          <button type="submit" class="primary" disabled={action.busy || action.limited !== null}>
            {t('form.save')}
          </button>
          <a class="button" href={`/a/${id}`}>
            {t('form.cancel')}
          </a>
        </div>
      </form>
    </Page>
  );
}
