import type { JSX } from 'preact';
import { newKey } from '../data/action';
import { type Category, client } from '../data/client';
import { messageAt } from '../data/faultText';
import { forgetLists } from '../data/queries';
import { queryClient } from '../data/query';
import { Disclosure } from '../elements/disclosure';
import { Select, TextArea, TextField } from '../elements/field';
import { type Fields, useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { named, t } from '../i18n';
import { ancestors } from '../results/categoryTree';
import { AttributeEditor } from './attributeEditor';
import { CategoryLook, FormPreview } from './categoryLook';
import {
  type AttributeForm,
  type CategoryForm,
  categoryForm,
  definition,
  emptyAttribute,
  previewed,
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
  const fields = useFields(
    () => categoryForm(category),
    async (form) => {
      await client.putCategory(form.slug, definition(form, category));
      forgetLists();
      void queryClient.invalidateQueries({ queryKey: ['schema'] });
      announce('done.save');
      onDone();
    },
    { repeatable: true },
  );
  const { values: form, tie } = fields;
  const set = (attributes: AttributeForm[]): void => fields.change({ attributes });
  const error = (name: string): string | undefined => messageAt(fields.fault, `/${name}`);
  const inherited = category?.attributes.filter((one) => one.inherited) ?? [];
  return (
    <ActionForm action={fields} send={t('form.save')} onCancel={onDone} ready={form.slug !== ''}>
      <h2>{category ? named(category.name, category.names) : t('admin.newCategory')}</h2>
      {category === null && (
        <TextField
          label={t('admin.slug')}
          {...tie('slug')}
          hint={t('admin.slugHint')}
          required
          error={messageAt(fields.fault, 'slug')}
        />
      )}
      <Words {...fields} error={error} />
      <Select
        label={t('admin.parent')}
        {...tie('parent')}
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
      />
      <TextField label={t('admin.position')} {...tie('position')} inputMode="numeric" />
      <CategoryLook {...fields} />
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
          onChange={(changed) => set(form.attributes.with(index, changed))}
          onRemove={() => set(form.attributes.toSpliced(index, 1))}
          error={(name) => error(`attributes/${index}/${name}`)}
        />
      ))}
      <button type="button" onClick={() => set([...form.attributes, emptyAttribute(newKey())])}>
        {t('admin.newAttribute')}
      </button>
      <Disclosure label={t('admin.preview')}>
        {() => <FormPreview category={previewed(form, category)} />}
      </Disclosure>
    </ActionForm>
  );
}

/** The name and the words for searches, a tab for each language. */
function Words({
  values: form,
  change,
  error,
}: Pick<Fields<CategoryForm>, 'values' | 'change'> & {
  error: (name: string) => string | undefined;
}): JSX.Element {
  return (
    <LanguageTabs others={form.names}>
      {(tag, isMain) => (
        <>
          <TextField
            label={t('admin.name')}
            value={isMain ? form.name : (form.names[tag] ?? '')}
            onValue={(value) => change(isMain ? { name: value } : { names: { ...form.names, [tag]: value } })}
            required={isMain}
            error={error(isMain ? 'name' : 'names') ?? error(`names/${tag}`)}
          />
          <TextArea
            label={t('admin.wordsIn')}
            value={form.synonyms[tag] ?? ''}
            onValue={(value) => change({ synonyms: { ...form.synonyms, [tag]: value } })}
            rows={2}
            hint={t('admin.wordsHint')}
            error={error(`synonyms/${tag}`) ?? error('synonyms')}
          />
        </>
      )}
    </LanguageTabs>
  );
}
