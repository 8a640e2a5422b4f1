import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { EnterFirst } from '../account/enterFirst';
import { useAction } from '../data/action';
import { type Category, client } from '../data/client';
import { categoriesQuery, forgetLists } from '../data/queries';
import { useQuery } from '../data/query';
import { user } from '../data/session';
import { FaultNotice, tell } from '../elements/notice';
import { Page } from '../elements/page';
import { named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import { ancestors } from '../results/categoryTree';
import { CategoryEditor } from './categoryEditor';

/** What administrators do beyond their own: the categories here; ads on the page of each. */
export function AdminPage(): JSX.Element {
  const me = user.value;
  if (me === undefined) return <p class="loading">{t('loading')}</p>;
  if (me === null) return <EnterFirst title={t('admin.title')} />;
  if (me.role !== 'ADMIN') {
    return (
      <Page title={t('admin.title')} narrow>
        <p>{t('admin.only')}</p>
      </Page>
    );
  }
  return (
    <Page title={t('admin.title')}>
      <p>
        {t('admin.ads')} <a href="/search">{t('admin.toAds')}</a>
      </p>
      <Categories />
    </Page>
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
  const action = useAction(async () => {
    await client.deleteCategory(category.slug);
    forgetLists();
    tell('done.category');
  });
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
