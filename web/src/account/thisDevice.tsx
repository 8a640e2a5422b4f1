/** Push is turned on for each device by itself. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { site } from '../data/site';
import { FaultNotice } from '../elements/notice';
import { t } from '../i18n';
import { pushPossible, renewPush, turnPushOff, turnPushOn } from './push';

export function ThisDevice(): JSX.Element | null {
  const [on, setOn] = useState(false);
  const [refused, setRefused] = useState(false);
  const key = site.value?.pushKey;
  useEffect(() => {
    renewPush().then(setOn, () => undefined);
  }, []);
  const action = useAction(async () => {
    setRefused(false);
    if (on) {
      await turnPushOff();
      setOn(false);
    } else if (key) {
      const done = await turnPushOn(key);
      setOn(done);
      setRefused(!done);
    }
  });
  if (!key) return null;
  return (
    <section aria-labelledby="device">
      <h2 id="device">{t('push.title')}</h2>
      <p>{t(pushPossible() ? 'push.text' : 'push.impossible')}</p>
      {refused && <p role="alert">{t('push.refused')}</p>}
      <FaultNotice fault={action.fault} limited={action.limited} />
      {pushPossible() && (
        <button type="button" disabled={action.busy} onClick={() => void action.run()}>
          {t(on ? 'push.off' : 'push.on')}
        </button>
      )}
    </section>
  );
}
