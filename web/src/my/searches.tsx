/** Saved searches: what is new, and how often they report it. */
import '../post/words';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { SignedIn } from '../account/enterFirst';
import { NotFoundPage } from '../app/notFound';
import { navigate, type PageProps } from '../app/router';
import { useAction } from '../data/action';
import { client, type SavedSearch } from '../data/client';
import { gone, toFault } from '../data/fault';
import { forgetSearches, searchesQuery } from '../data/queries';
import { useQuery } from '../data/query';
import { Deletion } from '../elements/deletion';
import { Disclosure } from '../elements/disclosure';
import { TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Empty, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { t } from '../i18n';
import { addressOf } from '../results/address';
import { LONGEST_NAME, NotifyChoice } from '../results/saveSearch';
import { SavedTabs } from './saved';

// The service counts no further.
const MOST_NEW = 100;

export function SearchesPage(): JSX.Element {
  return (
    <SignedIn title={t('searches.title')}>
      {() => (
        <Page title={t('searches.title')}>
          <SavedTabs current="searches" />
          <Searches />
        </Page>
      )}
    </SignedIn>
  );
}

function Searches(): JSX.Element {
  const { data, error, isPending } = useQuery(searchesQuery());
  if (isPending) return <p class="loading">{t('loading')}</p>;
  return (
    <>
      {error && <FaultNotice fault={toFault(error)} />}
      {data && data.results.length === 0 && (
        <Empty text={t('searches.none')} to={{ href: '/search', text: t('notFound.search') }} />
      )}
      <ul class="searches">
        {data?.results.map((search) => (
          <OneSearch key={search.id} of={search} />
        ))}
      </ul>
    </>
  );
}

function OneSearch({ of: search }: { of: SavedSearch }): JSX.Element {
  const action = useAction(
    async (change: Partial<Pick<SavedSearch, 'name' | 'notify'>>) => {
      await client.updateSearch(search.id, change);
      await forgetSearches();
    },
    { repeatable: true },
  );
  const { newCount } = search;
  return (
    <li class="panel">
      <article aria-labelledby={`search-${search.id}`}>
        <h2 id={`search-${search.id}`}>
          <a href={`/my/searches/${search.id}`} dir="auto">
            {search.name}
          </a>{' '}
          {newCount > 0 && (
            <span class="badge">
              {t(newCount < MOST_NEW ? 'searches.new' : 'searches.newMost', { count: newCount })}
            </span>
          )}
        </h2>
        <NotifyChoice
          label={t('searches.notify')}
          value={search.notify}
          onValue={(notify) => void action.run({ notify })}
        />
        <div class="buttons">
          <Disclosure label={t('searches.rename')} name={t('searches.renameNamed', { name: search.name })}>
            {(close) => <Rename search={search} onDone={close} />}
          </Disclosure>
          <Deletion
            label={t('searches.delete')}
            name={t('searches.deleteNamed', { name: search.name })}
            send={t('searches.confirm')}
            remove={async () => {
              await gone(client.deleteSearch(search.id));
              await forgetSearches();
            }}
          />
        </div>
        <FaultNotice fault={action.fault} limited={action.limited} />
      </article>
    </li>
  );
}

function Rename({ search, onDone }: { search: SavedSearch; onDone: () => void }): JSX.Element {
  const fields = useFields(
    { name: search.name },
    async (given) => {
      await client.updateSearch(search.id, given);
      await forgetSearches();
      onDone();
    },
    { repeatable: true },
  );
  return (
    <ActionForm
      action={fields}
      send={t('form.save')}
      onCancel={onDone}
      ready={fields.values.name.trim() !== ''}
    >
      <TextField label={t('searches.name')} {...fields.tie('name')} maxLength={LONGEST_NAME} />
    </ActionForm>
  );
}

/** `/my/searches/{id}`, for every link to a search: it is seen, and its results take the place of this page. */
export function OpenSearch({ parameters }: PageProps): JSX.Element {
  return <SignedIn title={t('searches.title')}>{() => <Opening id={Number(parameters.id)} />}</SignedIn>;
}

function Opening({ id }: { id: number }): JSX.Element {
  const { data, error } = useQuery(searchesQuery());
  const found = data?.results.find((search) => search.id === id);
  useEffect(() => {
    if (!found) return;
    // The results are what was wanted; the count of new ads stays if this fails.
    void client.markSearchSeen(id).then(forgetSearches, () => undefined);
    navigate(addressOf(found.query), { replace: true });
  }, [found?.query]);
  if (error) {
    return (
      <Page title={t('searches.title')} narrow>
        <FaultNotice fault={toFault(error)} />
      </Page>
    );
  }
  return data && !found ? <NotFoundPage /> : <p class="loading">{t('loading')}</p>;
}
