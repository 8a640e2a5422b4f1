/** The tree of categories: moved by dragging or by arrow keys, edited, saved as a file and taken from one. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type Action, useAction } from '../data/action';
import { type Category, client } from '../data/client';
import { gone } from '../data/fault';
import { download } from '../data/files';
import { categoriesQuery, forgetLists } from '../data/queries';
import { useQuery } from '../data/query';
import { Disclosure } from '../elements/disclosure';
import { Check, Select } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Icon } from '../elements/icon';
import { announce, FaultNotice } from '../elements/notice';
import { named, t } from '../i18n';
import { formatNumber } from '../i18n/format';
import { ancestors } from '../results/categoryTree';
import { CategoryEditor } from './categoryEditor';
import { Import } from './categoryImport';
import { placed, written } from './definition';
import { NamedDeletion } from './operation';

export function Categories(): JSX.Element {
  const categories = useQuery(categoriesQuery()).data ?? [];
  const [edited, setEdited] = useState<Category | 'new' | null>(null);
  const moving = useAction(
    async (category: Category, target: number) => {
      await move(categories, category, target);
      forgetLists();
      announce('admin.moved', {
        name: named(category.name, category.names),
        position: target + 1,
      });
    },
    { repeatable: true },
  );
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
    <section aria-label={t('admin.categories')}>
      <div class="toolbar">
        <button type="button" class="primary" onClick={() => setEdited('new')}>
          {t('admin.newCategory')}
        </button>
        <button
          type="button"
          onClick={() => download('categories.json', 'application/json', written(categories))}
        >
          {t('admin.export')}
        </button>
        <Import categories={categories} />
      </div>
      <FaultNotice fault={moving.fault} limited={moving.limited} />
      <ul class="list">
        {categories.map((category) => (
          <Row
            key={category.slug}
            category={category}
            siblings={siblingsOf(categories, category)}
            others={categories.filter(({ slug }) => slug !== category.slug)}
            depth={Math.min(4, ancestors(categories, category).length)}
            moving={moving}
            onEdit={() => setEdited(category)}
          />
        ))}
      </ul>
    </section>
  );
}

const siblingsOf = (categories: readonly Category[], { parent }: Category): Category[] =>
  categories.filter((one) => one.parent === parent);

/** Gives each sibling that is not there yet its place. */
async function move(categories: readonly Category[], moved: Category, target: number): Promise<void> {
  const others = siblingsOf(categories, moved).filter((one) => one.slug !== moved.slug);
  const order = others.toSpliced(target, 0, moved);
  for (const [index, one] of order.entries()) {
    const position = (index + 1) * 10;
    if (one.position !== position) await client.putCategory(one.slug, placed(one, position));
  }
}

function Row({
  category,
  siblings,
  others,
  depth,
  moving,
  onEdit,
}: {
  category: Category;
  siblings: readonly Category[];
  others: readonly Category[];
  depth: number;
  moving: Action<[Category, number]>;
  onEdit: () => void;
}): JSX.Element {
  const name = named(category.name, category.names);
  return (
    <li class={`split depth-${depth}`} data-slug={category.slug}>
      <span class="row category-name">
        <Grip {...{ category, siblings, moving, name }} />
        {name} <code>{category.slug}</code> <span class="count">{formatNumber(category.count)}</span>
      </span>
      <span class="buttons">
        <button type="button" aria-label={t('admin.edit', { name })} onClick={onEdit}>
          {t('step.edit')}
        </button>
        {others.length > 0 && (
          <Disclosure label={t('admin.moveAds')} name={t('admin.moveAdsNamed', { name })}>
            {(close) => <MoveForm {...{ category, others, name }} onDone={close} />}
          </Disclosure>
        )}
        <NamedDeletion
          name={name}
          remove={async () => {
            await gone(client.deleteCategory(category.slug));
            forgetLists();
          }}
        />
      </span>
    </li>
  );
}

/** Moves the ads in as many requests as it takes; with the deletion that merges two categories. */
function MoveForm({
  category: { slug },
  others,
  name,
  onDone,
}: {
  category: Category;
  others: readonly Category[];
  name: string;
  onDone: () => void;
}): JSX.Element {
  const fields = useFields(
    { to: others[0]?.slug ?? '', deletes: false },
    async ({ to, deletes }) => {
      let count = 0;
      for (let remaining = 1; remaining > 0; ) {
        const found = await client.moveCategoryAds(slug, { to });
        count += found.moved;
        remaining = found.remaining;
      }
      if (deletes) await gone(client.deleteCategory(slug));
      announce('admin.adsMoved', { count });
      onDone();
      forgetLists();
    },
    { repeatable: true },
  );
  return (
    <ActionForm action={fields} send={t('admin.moveAds')} onCancel={onDone}>
      <Select
        label={t('admin.moveTo')}
        hint={t('admin.moveHint')}
        {...fields.tie('to')}
        choices={others.map((one) => ({ value: one.slug, label: named(one.name, one.names) }))}
      />
      <Check
        label={t('admin.moveDelete', { name })}
        value={fields.values.deletes}
        onValue={(deletes) => fields.change({ deletes })}
      />
    </ActionForm>
  );
}

/** Dragged with mouse or finger, or moved by arrow keys, among the categories with the same parent. */
function Grip({
  category,
  siblings,
  moving,
  name,
}: {
  category: Category;
  siblings: readonly Category[];
  moving: Action<[Category, number]>;
  name: string;
}): JSX.Element {
  const [over, setOver] = useState<Element | null>(null);
  const here = siblings.findIndex(({ slug }) => slug === category.slug);
  const place = (row: Element | null): number =>
    siblings.findIndex(({ slug }) => slug === (row as HTMLElement | null)?.dataset.slug);
  const mark = (row: Element | null): void => {
    over?.classList.remove('drop');
    row?.classList.add('drop');
    setOver(row);
  };
  const to = (target: number): void => {
    if (target !== here && target >= 0 && target < siblings.length) void moving.run(category, target);
  };
  return (
    <button
      type="button"
      class="plain grip"
      aria-label={t('admin.move', { name })}
      disabled={moving.busy || siblings.length < 2}
      onKeyDown={(event) => {
        const step = { ArrowUp: -1, ArrowDown: 1 }[event.key];
        if (step === undefined) return;
        event.preventDefault();
        to(here + step);
      }}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={(event) => {
        if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
        const row = document.elementFromPoint(event.clientX, event.clientY)?.closest('[data-slug]') ?? null;
        mark(place(row) >= 0 ? row : null);
      }}
      onPointerUp={() => {
        const target = place(over);
        mark(null);
        if (target >= 0) to(target);
      }}
      onPointerCancel={() => mark(null)}
    >
      <Icon name="grip" />
    </button>
  );
}
