import type { ComponentChildren, JSX } from 'preact';
import type { Action } from '../data/action';
import { t } from '../i18n';
import { FaultNotice } from './notice';

/** A form for one change: its fields, the faults of the last attempt, and the buttons to send or to cancel. */
export function ActionForm({
  action: { run, busy, fault, limited },
  send,
  onSend = () => void run?.(),
  onCancel,
  ready = true,
  look = 'primary',
  label,
  children,
}: {
  action: Pick<Action<[]>, 'busy' | 'fault' | 'limited'> & { run?: () => unknown };
  /** What the button says. */
  send: string;
  /** Where more happens than the action. */
  onSend?: () => void;
  onCancel?: () => void;
  /** Whether all that the service needs is filled in. */
  ready?: boolean;
  look?: 'primary' | 'danger';
  label?: string;
  children?: ComponentChildren;
}): JSX.Element {
  return (
    <form
      class="stack"
      noValidate
      aria-label={label}
      onSubmit={(event) => {
        event.preventDefault();
        onSend();
      }}
    >
      {children}
      <FaultNotice fault={fault} limited={limited} />
      <div class="buttons">
        <button type="submit" class={look} disabled={busy || limited !== null || !ready}>
          {send}
        </button>
        {onCancel && (
          <button type="button" onClick={onCancel}>
            {t('form.cancel')}
          </button>
        )}
      </div>
    </form>
  );
}
