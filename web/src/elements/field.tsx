/** A labelled control with its hint and its fault, connected for screen readers. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useId, useState } from 'preact/hooks';
import { t } from '../i18n';
import { readAmount, readNumber, writeAmount } from '../i18n/numbers';

interface Common {
  label: string;
  hint?: string | undefined;
  error?: string | undefined;
  /** The id to which the summary of faults links. */
  id?: string;
  optional?: boolean | undefined;
}

interface Tied {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: 'true';
}

export function Field({
  label,
  hint,
  error,
  id,
  optional,
  children,
}: Common & { children: (tied: Tied) => ComponentChildren }): JSX.Element {
  const made = useId();
  const own = id ?? made;
  const described = [hint && `${own}-hint`, error && `${own}-error`].filter(Boolean).join(' ');
  const tied: Tied = {
    id: own,
    ...(described ? { 'aria-describedby': described } : {}),
    ...(error ? { 'aria-invalid': 'true' as const } : {}),
  };
  return (
    <div class="field">
      <div class="label">
        <label for={own}>{label}</label>
        {optional && <span class="faint">{t('field.optional')}</span>}
      </div>
      {children(tied)}
      {hint && (
        <p class="hint" id={`${own}-hint`}>
          {hint}
        </p>
      )}
      {error && (
        <p class="error" id={`${own}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

type InputProps = Common & {
  value: string;
  onValue: (value: string) => void;
  /** When the focus leaves it changed, and by Enter. */
  onChange?: () => void;
  type?: 'text' | 'password' | 'tel' | 'date' | 'datetime-local';
  required?: boolean;
  autocomplete?: string;
  inputMode?: 'numeric' | 'decimal' | 'text' | 'tel';
  maxLength?: number | undefined;
  minLength?: number | undefined;
  min?: number | undefined;
  max?: number | undefined;
  step?: string | undefined;
  list?: string | undefined;
  unit?: string | undefined;
};

export function TextField({ value, onValue, unit, ...rest }: InputProps): JSX.Element {
  const { label, hint, error, id, optional, inputMode, maxLength, minLength, ...own } = rest;
  // One object for all types of inputs; the compiler would otherwise distinguish them by `type`.
  const attributesOf = (tied: Tied): JSX.IntrinsicElements['input'] =>
    ({
      ...own,
      ...tied,
      type: own.type ?? 'text',
      ...(own.type === undefined || own.type === 'text' ? { dir: 'auto' } : {}),
      value,
      ...(inputMode ? { inputMode } : {}),
      ...(maxLength === undefined ? {} : { maxLength }),
      ...(minLength === undefined ? {} : { minLength }),
      onInput: (event: Event & { currentTarget: HTMLInputElement }) => onValue(event.currentTarget.value),
    }) as JSX.IntrinsicElements['input'];
  return (
    <Field {...{ label, hint, error, optional }} {...(id ? { id } : {})}>
      {(tied) => (
        <div class="control">
          <input {...attributesOf(tied)} />
          {unit && <span class="unit">{unit}</span>}
        </div>
      )}
    </Field>
  );
}

export function TextArea({
  value,
  onValue,
  rows = 6,
  maxLength,
  ...rest
}: Common & {
  value: string;
  onValue: (value: string) => void;
  rows?: number;
  maxLength?: number | undefined;
}): JSX.Element {
  return (
    <Field {...rest}>
      {(tied) => (
        <textarea
          {...tied}
          dir="auto"
          rows={rows}
          value={value}
          {...(maxLength === undefined ? {} : { maxLength })}
          onInput={(event) => onValue(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

export interface Choice<Value extends string = string> {
  value: Value;
  label: string;
  depth?: number;
}

export function Select<Value extends string>({
  value,
  onValue,
  choices,
  ...rest
}: Common & {
  value: Value;
  onValue: (value: Value) => void;
  choices: readonly Choice<Value>[];
}): JSX.Element {
  return (
    <Field {...rest}>
      {(tied) => (
        <select
          {...tied}
          value={value}
          onChange={(event) => {
            const chosen = choices[event.currentTarget.selectedIndex];
            if (chosen) onValue(chosen.value);
          }}
        >
          {choices.map((choice) => (
            <option key={choice.value} value={choice.value} selected={choice.value === value}>
              {'\u00a0\u00a0'.repeat(choice.depth ?? 0)}
              {choice.label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function Check({
  label,
  value,
  onValue,
  disabled,
  required,
}: {
  label: ComponentChildren;
  value: boolean;
  onValue: (value: boolean) => void;
  disabled?: boolean;
  required?: boolean;
}): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        disabled={disabled}
        required={required}
        onChange={(event) => onValue(event.currentTarget.checked)}
      />
      <span>{label}</span>
    </label>
  );
}

/** Any number of the offered values, in their order. */
export function Checks<Value extends string>({
  label,
  look,
  value,
  onValue,
  offered,
  textOf = String,
}: {
  label: string;
  look?: string;
  value: readonly Value[];
  onValue: (value: readonly Value[]) => void;
  offered: readonly Value[];
  textOf?: (value: Value) => string;
}): JSX.Element {
  return (
    <fieldset class={look}>
      <legend>{label}</legend>
      {offered.map((one) => (
        <Check
          key={one}
          label={textOf(one)}
          value={value.includes(one)}
          onValue={(on) => onValue(offered.filter((each) => (each === one ? on : value.includes(each))))}
        />
      ))}
    </fieldset>
  );
}

const REST = 600;

type Bound = 'from' | 'to';

/** As addresses have it. Between whole numbers, the bounds of a part go inwards; null for what is no number. */
export function boundOf(text: string, bound: Bound, decimal: boolean, decimals = 0): string | null {
  if (!text.trim()) return '';
  const number = decimal ? readNumber(text, false) : readAmount(text, decimals);
  if (number === null || decimal) return number === null ? null : String(number);
  return number < 0 ? null : String(bound === 'from' ? Math.ceil(number) : Math.floor(number));
}

/** Two optional numbers, written as people do. A change takes effect when the person has stopped typing. */
export function Range({
  from,
  to,
  onChange,
  unit,
  decimal = false,
  decimals = 0,
}: {
  from: string;
  to: string;
  onChange: (from: string, to: string) => void;
  unit?: string | undefined;
  decimal?: boolean;
  /** Of the unit that the numbers are whole numbers of. */
  decimals?: number;
}): JSX.Element {
  const asTyped = (value: string): string => value && writeAmount(Number(value), decimals);
  const id = useId();
  const [typed, setTyped] = useState({ from: asTyped(from), to: asTyped(to) });
  const [wrong, setWrong] = useState<readonly Bound[]>([]);
  const read = (bound: Bound): string | null => boundOf(typed[bound], bound, decimal, decimals);
  // What means the same stays as it was typed.
  useEffect(() => {
    setTyped({
      from: read('from') === from ? typed.from : asTyped(from),
      to: read('to') === to ? typed.to : asTyped(to),
    });
    setWrong([]);
  }, [from, to]);
  useEffect(() => {
    const [nextFrom, nextTo] = [read('from'), read('to')];
    const faults = (['from', 'to'] as const).filter((bound) => read(bound) === null);
    if (faults.length === 0) setWrong(faults);
    if (nextFrom === from && nextTo === to) return;
    const timer = setTimeout(() => {
      setWrong(faults);
      if (nextFrom !== null && nextTo !== null) onChange(nextFrom, nextTo);
    }, REST);
    return () => clearTimeout(timer);
  }, [typed]);
  const input = (bound: Bound, label: string): JSX.Element => (
    <input
      type="text"
      inputMode="decimal"
      maxLength={16}
      aria-label={label}
      placeholder={label}
      value={typed[bound]}
      {...(wrong.includes(bound) ? { 'aria-invalid': 'true', 'aria-describedby': id } : {})}
      onInput={(event) => setTyped({ ...typed, [bound]: event.currentTarget.value })}
    />
  );
  return (
    <>
      <div class="range">
        {input('from', t('filter.fromLabel'))}
        <span aria-hidden="true">–</span>
        {input('to', t('filter.toLabel'))}
        {unit && <span class="unit">{unit}</span>}
      </div>
      {wrong.length > 0 && (
        <p class="error" id={id}>
          {t('fault.wrong-type.number')}
        </p>
      )}
    </>
  );
}
