/** The form of an ad, for posting and for editing. */
import type { JSX } from 'preact';
import { useId, useRef } from 'preact/hooks';
import type { Category } from '../../data/client';
import type { Fault } from '../../data/fault';
import { messageAt } from '../../data/faultText';
import { readAs } from '../../data/price';
import { categoriesQuery, newestQuery, schemaQuery } from '../../data/queries';
import { useQuery } from '../../data/query';
import { currency, limit } from '../../data/site';
import { type Choice, Select, TextArea, TextField } from '../../elements/field';
import { tiesOf } from '../../elements/fields';
import { Icon } from '../../elements/icon';
import { useRested } from '../../elements/rested';
import { named, t } from '../../i18n';
import { PRICE_TYPES } from '../../results/address';
import { ancestors } from '../../results/categoryTree';
import { chosenPlace, findPlace, textOf, toPoint, townAt, usePlaces } from '../../results/places';
import { AttributeFields } from './attributeFields';
import { Position } from './position';
import { PriceGuide } from './priceGuide';
import { readSchema } from './schema';
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
  const categories = useQuery(categoriesQuery()).data ?? [];
  const category = categories.find((one) => one.slug === form.category);
  const schema = useQuery(schemaQuery(form.category)).data;
  const errorAt = (name: string): string | undefined => messageAt(fault, `/${name}`);
  const plain = tiesOf(form, (change) => onChange({ ...form, ...change }), errorAt);
  const tie = <Name extends keyof AdForm>(name: Name) => ({ id: fieldId(`/${name}`), ...plain(name) });
  return (
    <>
      <TextField
        {...tie('title')}
        label={t('form.title')}
        maxLength={limit('titleMaxLength', 150)}
        required
      />
      {categories.length > 0 && (
        <Select
          {...tie('category')}
          label={t('form.category')}
          choices={[{ value: '', label: t('form.noCategory') }, ...choices(categories)]}
        />
      )}
      {form.category === '' && (
        <GuessedCategory
          {...{ title: form.title, categories }}
          onChoose={(slug) => onChange({ ...form, category: slug })}
        />
      )}
      <TextArea
        {...tie('description')}
        label={t('form.description')}
        rows={7}
        maxLength={limit('descriptionMaxLength', 8000)}
      />
      <div class="pair">
        <TextField
          {...tie('price')}
          label={t('form.price')}
          optional={form.priceType === 'onRequest' || form.priceType === 'free'}
          inputMode="decimal"
          maxLength={24}
          unit={currency.value.code}
          hint={readAs(form.price)}
          required
        />
        <Select
          {...tie('priceType')}
          label={t('form.terms')}
          choices={PRICE_TYPES.map((value) => ({ value, label: t(`priceType.${value}`) }))}
        />
      </div>
      {form.category !== '' && form.priceType !== 'free' && (
        <PriceGuide title={form.title} category={form.category} />
      )}
      {category && schema && (
        <AttributeFields {...{ category, form, onChange, fault }} properties={readSchema(schema)} />
      )}
      <PlaceField {...{ form, onChange }} error={errorAt('place') ?? errorAt('location')} />
    </>
  );
}

const TITLE_REST = 500;
const SHORTEST_TITLE = 3;
/** So many ads with like titles say which category one is for. */
const LIKE = 20;

/** The category that most ads with like titles have, to be chosen by a press. */
function GuessedCategory({
  title,
  categories,
  onChoose,
}: {
  title: string;
  categories: Category[];
  onChoose: (slug: string) => void;
}): JSX.Element | null {
  const q = useRested(title.trim(), TITLE_REST);
  const like = useQuery({ ...newestQuery({ q, limit: LIKE }), enabled: q.length >= SHORTEST_TITLE });
  const counts = new Map<string, number>();
  for (const { category } of like.data?.results ?? [])
    if (category !== null) counts.set(category, (counts.get(category) ?? 0) + 1);
  const [slug] = [...counts].toSorted(([, one], [, other]) => other - one)[0] ?? [];
  const guessed = categories.find((one) => one.slug === slug);
  if (!guessed) return null;
  const way = [...ancestors(categories, guessed), guessed].map(({ name, names }) => named(name, names));
  return (
    <button type="button" class="plain" onClick={() => onChoose(guessed.slug)}>
      {t('form.guessed', { category: way.join(' › ') })}
    </button>
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

/** A place that was typed and not chosen is the best one for the text, as in a search nearby. */
export async function placed(form: AdForm): Promise<AdForm> {
  if (form.placeId || form.location) return form;
  const town = await findPlace(form.place).catch(() => undefined);
  return town ? { ...form, place: textOf(town), placeId: town.id } : form;
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
  const places = usePlaces(form.place);
  const last = chosenPlace.value;
  const latest = useRef(form);
  latest.current = form;
  function choose(place: string): void {
    const town = places.get(place);
    // The position was that of another town.
    const location = town && town.id !== form.placeId ? null : form.location;
    onChange({ ...form, place, placeId: town?.id ?? null, location });
  }
  async function settle(): Promise<void> {
    const typed = latest.current.place;
    const { place, placeId } = await placed(latest.current);
    if (placeId && latest.current.place === typed) onChange({ ...latest.current, place, placeId });
  }
  function locate(location: AdForm['location']): void {
    onChange({ ...form, location });
    if (location && !form.place.trim())
      void townAt(toPoint(location)).then((town) => {
        if (town && !latest.current.place)
          onChange({ ...latest.current, place: town.name, placeId: town.id });
      });
  }
  function takeLast(): void {
    if (!last) return;
    onChange({ ...form, place: last.place });
    void townAt(last.near).then((town) => {
      if (town && latest.current.place === last.place) onChange({ ...latest.current, placeId: town.id });
    });
  }
  return (
    <>
      <TextField
        id={fieldId('/place')}
        label={t('form.place')}
        value={form.place}
        onValue={choose}
        onChange={() => void settle()}
        list={list}
        autocomplete="off"
        maxLength={limit('placeMaxLength', 120)}
        optional
        error={error}
      />
      <datalist id={list}>
        {[...places].map(([name, place]) => (
          <option
            key={name}
            value={name}
            label={[name, place.region, place.country].filter(Boolean).join(', ')}
          />
        ))}
      </datalist>
      {last?.place && !form.place && !form.location && (
        <div class="row position-row">
          <button type="button" class="plain" onClick={takeLast}>
            <Icon name="place" />
            {last.place}
          </button>
        </div>
      )}
      <Position location={form.location} onChange={locate} />
    </>
  );
}
