/** The fields of a form: what is typed, how each one changes, and its fault. */
import { useState } from 'preact/hooks';
import { type Action, type ActionOptions, newKey, useAction } from '../data/action';
import { messageAt } from '../data/faultText';

/** What a control needs. A member that is null has no control. */
export interface Tie<Value> {
  value: NonNullable<Value>;
  onValue: (value: NonNullable<Value>) => void;
  error: string | undefined;
}

export type Ties<Values> = <Name extends keyof Values & string>(name: Name) => Tie<Values[Name]>;

export function tiesOf<Values extends object>(
  values: Values,
  change: (change: Partial<Values>) => void,
  errorAt: (name: string) => string | undefined,
): Ties<Values> {
  return <Name extends keyof Values & string>(name: Name) => ({
    value: values[name] as NonNullable<Values[Name]>,
    onValue: (value) => change({ [name]: value } as unknown as Partial<Values>),
    error: errorAt(name),
  });
}

export interface Fields<Values> extends Action<[]> {
  values: Values;
  change: (change: Partial<Values>) => void;
  tie: Ties<Values>;
}

/** Fields that are named as the members of a request, and the action that sends it. */
export function useFields<Values extends object>(
  initial: Values | (() => Values),
  send: (values: Values, idempotencyKey: string) => Promise<void>,
  options?: ActionOptions,
): Fields<Values> {
  const [values, setValues] = useState(initial);
  const action = useAction((idempotencyKey: string) => send(values, idempotencyKey), options);
  const change = (part: Partial<Values>): void => setValues((all) => ({ ...all, ...part }));
  const tie = tiesOf(values, change, (name) => messageAt(action.fault, `/${name}`));
  return { ...action, run: () => action.run(newKey()), values, change, tie };
}
