/** How a category looks: its icon and colour, and the form of its ads. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Category } from '../data/client';
import { messageAt } from '../data/faultText';
import { useQuery } from '../data/query';
import { Disclosure } from '../elements/disclosure';
import { Check, Field, TextField } from '../elements/field';
import type { Fields } from '../elements/fields';
import { CategoryIcon, categorySprite } from '../elements/icon';
import { t } from '../i18n';
import { AttributeFields } from '../post/form/attributeFields';
import { propertiesOf } from '../post/form/schema';
import { emptyForm } from '../post/form/toRequest';
import type { CategoryForm } from './definition';

/** Until one is chosen. */
const FIRST_COLOR = '#0b5d57';

export function CategoryLook({
  values: { icon, color },
  change,
  fault,
}: Pick<Fields<CategoryForm>, 'values' | 'change' | 'fault'>): JSX.Element {
  return (
    <fieldset class="members">
      <legend>{t('admin.icon')}</legend>
      <div class="row">
        <CategoryIcon {...{ icon, color }} />
        <Disclosure label={t('admin.chooseIcon')}>
          {(close) => (
            <IconChoice
              chosen={icon}
              onChoose={(name) => {
                change({ icon: name });
                close();
              }}
            />
          )}
        </Disclosure>
      </div>
      <Field label={t('admin.color')} hint={t('admin.colorHint')} error={messageAt(fault, '/color')}>
        {(tied) => (
          <input
            {...tied}
            type="color"
            value={color || FIRST_COLOR}
            onInput={(event) => change({ color: event.currentTarget.value })}
          />
        )}
      </Field>
      <Check
        label={t('admin.plainColor')}
        value={color === ''}
        onValue={(on) => change({ color: on ? '' : FIRST_COLOR })}
      />
    </fieldset>
  );
}

const iconNames = {
  queryKey: ['category-icons'],
  queryFn: async (): Promise<string[]> => {
    const sprite = await (await fetch(categorySprite)).text();
    return [...sprite.matchAll(/<symbol id="([^"]+)"/g)].map(([, name = '']) => name);
  },
};

function IconChoice({ chosen, onChoose }: { chosen: string; onChoose: (name: string) => void }): JSX.Element {
  const [words, setWords] = useState('');
  const names = useQuery(iconNames).data ?? [];
  return (
    <div class="stack">
      <TextField label={t('admin.searchIcons')} value={words} onValue={setWords} optional />
      <ul class="icon-choice">
        {['', ...names]
          .filter((name) => name.includes(words.trim().toLowerCase()))
          .map((name) => (
            <li key={name}>
              <button
                type="button"
                aria-pressed={name === chosen}
                aria-label={name ? name.replaceAll('-', ' ') : t('admin.noIcon')}
                title={name || t('admin.noIcon')}
                onClick={() => onChoose(name)}
              >
                <CategoryIcon icon={name} size={24} />
              </button>
            </li>
          ))}
      </ul>
    </div>
  );
}

/** The fields that the category adds to the form of an ad. */
export function FormPreview({ category }: { category: Category }): JSX.Element {
  const [form, setForm] = useState(emptyForm);
  const attributes = category.attributes.filter(({ name }) => name);
  if (attributes.length === 0) return <p class="faint">{t('admin.previewEmpty')}</p>;
  return (
    <AttributeFields
      category={category}
      properties={propertiesOf(attributes)}
      form={form}
      onChange={setForm}
      fault={null}
    />
  );
}
