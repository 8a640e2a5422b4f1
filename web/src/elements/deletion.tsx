import type { ComponentChildren, JSX } from 'preact';
import { useAction } from '../data/action';
import { Disclosure } from './disclosure';
import { ActionForm } from './form';

interface Asked {
  /** What the button says that deletes. */
  send: string;
  remove: () => Promise<void>;
  children?: ComponentChildren;
}

/** A button that asks before it deletes. A deletion may arrive twice: `remove` takes what is gone for deleted. */
export function Deletion({
  label,
  name,
  look,
  ...asked
}: Asked & { label: string; name?: string; look?: 'plain' }): JSX.Element {
  return (
    <Disclosure {...{ label, name, look }}>{(close) => <Sure {...asked} onCancel={close} />}</Disclosure>
  );
}

function Sure({ send, remove, onCancel, children }: Asked & { onCancel: () => void }): JSX.Element {
  const action = useAction(remove, { repeatable: true });
  return <ActionForm {...{ action, send, onCancel, children }} look="danger" />;
}
