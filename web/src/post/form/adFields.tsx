/** The form of an ad, for posting and for editing. */
import type { JSX } from 'preact';
import { useId } from 'preact/hooks';
import type { Category } from '../../data/client';
import { errorAt, type Fault } from '../../data/fault';
import { fieldText } from '../../data/faultText';
import { readAs } from '../../data/price';
import { categoriesQuery, schemaQuery } from '../../data/queries';
import { useQuery } from '../../data/query';
import { currency, limit } from '../../data/site';
import { type Choice, Select, TextArea, TextField } from '../../elements/field';
import { named, t } from '../../i18n';
import { PRICE_TYPES } from '../../results/address';
import { ancestors } from '../../results/categoryTree';
import { findPlace, knownPlaces } from '../../results/places';
import { AttributeFields } from './attributeFields';
import { Position } from './position';
import { fieldId } from './summary';
import type { AdForm } from './toRequest';

export interface FormProps {
  form: AdForm;
  onChange: (form: AdForm) => void;
  fault: Fault | null;
}

export function useCategory(slug: string): Category | undefined {
  return useQuery(categoriesQuery()).data?.find((one) => one.slug === slug);
}

export function AdFields({ form, onChange, fault }: FormProps): JSX.Element {
  const set = <Name extends keyof AdForm>(name: Name, value: AdForm[Name]): void =>
    onChange({ ...form, [name]: value });
  const categories = useQuery(categoriesQuery()).data ?? [];
  const category = categories.find((one) => one.slug === form.category);
  const schema = useQuery(schemaQuery(form.category)).data;
  const text = (at: string): string | undefined => {
    const error = errorAt(fault, at);
    return error && fieldText(error);
  };
  return (
    <>
      {categories.length > 0 && (
        <Select
          id={fieldId('/category')}
          label={t('form.category')}
          value={form.category}
          choices={[{ value: '', label: t('form.noCategory') }, ...choices(categories)]}
          onValue={(value) => set('category', value)}
          error={text('/category')}
        />
      )}
      <TextField
        id={fieldId('/title')}
        label={t('form.title')}
        value={form.title}
        onValue={(value) => set('title', value)}
        maxLength={limit('titleMaxLength', 150)}
        required
        error={text('/title')}
      />
      <TextArea
        id={fieldId('/description')}
        label={t('form.description')}
        value={form.description}
        onValue={(value) => set('description', value)}
        rows={7}
        maxLength={limit('descriptionMaxLength', 8000)}
        error={text('/description')}
      />
      <div class="pair">
        <TextField
          id={fieldId('/price')}
          label={t('form.price')}
          optional={form.priceType === 'onRequest' || form.priceType === 'free'}
          value={form.price}
          onValue={(value) => set('price', value)}
          inputMode="decimal"
          maxLength={24}
          unit={currency.value}
          hint={readAs(form.price)}
          required
          error={text('/price')}
        />
        <Select
          id={fieldId('/priceType')}
          label={t('form.terms')}
          value={form.priceType}
          choices={PRICE_TYPES.map((value) => ({ value, label: t(`priceType.${value}`) }))}
          onValue={(value) => set('priceType', PRICE_TYPES.find((type) => type === value) ?? 'fixed')}
          error={text('/priceType')}
        />
      </div>
      {category && schema && <AttributeFields {...{ category, schema, form, onChange, fault }} />}
      <PlaceField {...{ form, onChange }} error={text('/place') ?? text('/location')} />
    </>
  );
}

/** The tree of categories, each indented below its parent. */
function choices(categories: Category[]): Choice[] {
  return categories.map((category) => ({
    value: category.slug,
    label: named(category.name, category.names),
    depth: ancestors(categories, category).length,
  }));
}

/** The name of a place and, if the author agrees, its position. */
function PlaceField({
  form,
  onChange,
  error,
}: {
  form: AdForm;
  onChange: (form: AdForm) => void;
  error: string | undefined;
}): JSX.Element {
  const list = useId();
  function choose(place: string): void {
    const found = findPlace(place);
    const exact = found?.name.toLocaleLowerCase() === place.trim().toLocaleLowerCase() ? found : undefined;
    const location = exact ? { latitude: exact.latitude, longitude: exact.longitude } : form.location;
    onChange({ ...form, place, location });
  }
  return (
    <>
      <TextField
        id={fieldId('/place')}
        label={t('form.place')}
        value={form.place}
        onValue={choose}
        list={list}
        autocomplete="off"
        maxLength={limit('placeMaxLength', 120)}
        optional
        error={error}
      />
      <datalist id={list}>
        {knownPlaces().map((place) => (
          <option key={place.name} value={place.name} />
        ))}
      </datalist>
      <Position location={form.location} onChange={(location) => onChange({ ...form, location })} />
    </>
  );
}
