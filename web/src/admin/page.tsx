import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { SignedIn } from '../account/enterFirst';
import { address } from '../app/router';
import { useAction } from '../data/action';
import { type Category, client } from '../data/client';
import { gone } from '../data/fault';
import { categoriesQuery, forgetLists } from '../data/queries';
import { useQuery } from '../data/query';
import { announce, FaultNotice } from '../elements/notice';
import { Page } from '../elements/page';
import { Tabs } from '../elements/tabs';
import { named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import { ancestors } from '../results/categoryTree';
import { Accounts } from './accounts';
import { CategoryEditor } from './categoryEditor';

/** The administrators' page: categories and accounts. They change ads on the page of the ad. */
export function AdminPage(): JSX.Element {
  const accounts = address.value.searchParams.get('list') === 'accounts';
  return (
    <SignedIn title={t('admin.title')}>
      {({ role }) => (
        <Page title={t('admin.title')}>
          {role === 'ADMIN' ? (
            <>
              <p>
                {t('admin.ads')} <a href="/search">{t('admin.toAds')}</a>
              </p>
              <Tabs
                label={t('admin.title')}
                tabs={[
                  { href: '/admin', text: t('admin.categories'), current: !accounts },
                  { href: '/admin?list=accounts', text: t('accounts.title'), current: accounts },
                ]}
              />
              {accounts ? <Accounts /> : <Categories />}
            </>
          ) : (
            <p>{t('admin.only')}</p>
          )}
        </Page>
      )}
    </SignedIn>
  );
}

function Categories(): JSX.Element {
  const categories = useQuery(categoriesQuery()).data ?? [];
  const [edited, setEdited] = useState<Category | 'new' | null>(null);
  if (edited !== null) {
    return (
      <CategoryEditor
        key={edited === 'new' ? '' : edited.slug}
        category={edited === 'new' ? null : edited}
        categories={categories}
        onDone={() => setEdited(null)}
      />
    );
  }
  return (
    <section aria-labelledby="admin-categories">
      <div class="heading-row">
        <h2 id="admin-categories">{t('admin.categories')}</h2>
        <button type="button" onClick={() => setEdited('new')}>
          {t('admin.newCategory')}
        </button>
      </div>
      <ul class="admin-list">
        {categories.map((category) => (
          <Row
            key={category.slug}
            category={category}
            depth={Math.min(4, ancestors(categories, category).length)}
            onEdit={() => setEdited(category)}
          />
        ))}
      </ul>
    </section>
  );
}

function Row({
  category,
  depth,
  onEdit,
}: {
  category: Category;
  depth: number;
  onEdit: () => void;
}): JSX.Element {
  const action = useAction(
    async () => {
      await gone(client.deleteCategory(category.slug));
      forgetLists();
      announce('done.category');
    },
    { repeatable: true },
  );
  const name = named(category.name, category.names);
  return (
    <li class={`depth-${depth}`}>
      <span>
        {name} <code>{category.slug}</code> <span class="count">{formatNumber(category.count)}</span>
      </span>
      <span class="buttons">
        <button type="button" aria-label={t('admin.edit', { name })} onClick={onEdit}>
          {t('step.edit')}
        </button>
        <button
          type="button"
          class="danger"
          aria-label={t('admin.delete', { name })}
          disabled={action.busy}
          onClick={() => void action.run()}
        >
          {t('step.delete')}
        </button>
      </span>
      <FaultNotice fault={action.fault} limited={action.limited} />
    </li>
  );
}
