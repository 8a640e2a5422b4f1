import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { newKey, useAction } from '../data/action';
import { type Category, client } from '../data/client';
import { messageAt } from '../data/faultText';
import { forgetLists } from '../data/queries';
import { queryClient } from '../data/query';
import { Select, TextArea, TextField } from '../elements/field';
import { announce, FaultNotice } from '../elements/notice';
import { named, t } from '../i18n';
import { ancestors } from '../results/categoryTree';
import { AttributeEditor } from './attributeEditor';
import {
  type AttributeForm,
  type CategoryForm,
  categoryForm,
  definition,
  emptyAttribute,
} from './definition';
import { LanguageTabs } from './languageTabs';

export function CategoryEditor({
  category,
  categories,
  onDone,
}: {
  category: Category | null;
  categories: Category[];
  onDone: () => void;
}): JSX.Element {
  const [form, setForm] = useState(() => categoryForm(category));
  const action = useAction(
    async () => {
      await client.putCategory(form.slug, definition(form, category));
      forgetLists();
      void queryClient.invalidateQueries({ queryKey: ['schema'] });
      announce('done.save');
      onDone();
    },
    { repeatable: true },
  );
  const set = <Name extends keyof typeof form>(name: Name, value: (typeof form)[Name]): void =>
    setForm((all) => ({ ...all, [name]: value }));
  const setAttribute = (index: number, attribute: AttributeForm): void =>
    set('attributes', form.attributes.with(index, attribute));
  const error = (name: string): string | undefined => messageAt(action.fault, `/${name}`);
  const inherited = category?.attributes.filter((one) => one.inherited) ?? [];
  return (
    <form
      class="stack"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void action.run();
      }}
    >
      <h2>{category ? named(category.name, category.names) : t('admin.newCategory')}</h2>
      {category === null && (
        <TextField
          label={t('admin.slug')}
          value={form.slug}
          onValue={(value) => set('slug', value)}
          hint={t('admin.slugHint')}
          required
          error={messageAt(action.fault, 'slug')}
        />
      )}
      <Words form={form} set={set} error={error} />
      <Select
        label={t('admin.parent')}
        value={form.parent}
        onValue={(value) => set('parent', value)}
        choices={[
          { value: '', label: t('admin.noParent') },
          ...categories
            .filter((one) => one.slug !== category?.slug)
            .map((one) => ({
              value: one.slug,
              label: named(one.name, one.names),
              depth: ancestors(categories, one).length,
            })),
        ]}
        error={error('parent')}
      />
      <TextField
        label={t('admin.position')}
        value={form.position}
        onValue={(value) => set('position', value)}
        inputMode="numeric"
        error={error('position')}
      />
      <h3>{t('admin.attributes')}</h3>
      {inherited.length > 0 && (
        <p class="faint">
          {t('admin.inherited', {
            names: inherited.map((one) => named(one.label ?? one.name, one.labels)).join(', '),
          })}
        </p>
      )}
      {form.attributes.map((attribute, index) => (
        <AttributeEditor
          key={attribute.key}
          attribute={attribute}
          onChange={(changed) => setAttribute(index, changed)}
          onRemove={() => set('attributes', form.attributes.toSpliced(index, 1))}
          error={(name) => error(`attributes/${index}/${name}`)}
        />
      ))}
      <button type="button" onClick={() => set('attributes', [...form.attributes, emptyAttribute(newKey())])}>
        {t('admin.newAttribute')}
      </button>
      <FaultNotice fault={action.fault} limited={action.limited} />
      <div class="buttons">
        <button type="submit" class="primary" disabled={action.busy || !form.slug}>
          {t('form.save')}
        </button>
        <button type="button" onClick={onDone}>
          {t('form.cancel')}
        </button>
      </div>
    </form>
  );
}

/** The name and the words for searches, a tab for each language. */
function Words({
  form,
  set,
  error,
}: {
  form: CategoryForm;
  set: <Name extends keyof CategoryForm>(name: Name, value: CategoryForm[Name]) => void;
  error: (name: string) => string | undefined;
}): JSX.Element {
  return (
    <LanguageTabs others={form.names}>
      {(tag, isMain) => (
        <>
          <TextField
            label={t('admin.name')}
            value={isMain ? form.name : (form.names[tag] ?? '')}
            onValue={(value) => (isMain ? set('name', value) : set('names', { ...form.names, [tag]: value }))}
            required={isMain}
            error={error(isMain ? 'name' : 'names') ?? error(`names/${tag}`)}
          />
          <TextArea
            label={t('admin.wordsIn')}
            value={form.synonyms[tag] ?? ''}
            onValue={(value) => set('synonyms', { ...form.synonyms, [tag]: value })}
            rows={2}
            hint={t('admin.wordsHint')}
            error={error(`synonyms/${tag}`) ?? error('synonyms')}
          />
        </>
      )}
    </LanguageTabs>
  );
}
