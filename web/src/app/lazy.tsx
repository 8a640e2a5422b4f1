import { signal } from '@preact/signals';
import type { ComponentType, JSX } from 'preact';
import { useEffect, useLayoutEffect, useState } from 'preact/hooks';
import { t } from '../i18n';

/** Whether the service has another version of the app, so that code of this one may be gone. */
const isOld = signal(false);

/** Looks at the page as the service has it now: it names the file that this code is in. */
async function findOut(): Promise<void> {
  const answer = await fetch(SHELL, { cache: 'no-store' });
  if (answer.ok && !(await answer.text()).includes(OWN)) isOld.value = true;
}

// A page without a first view of its own.
const SHELL = '/account';
const OWN = new URL(import.meta.url).pathname;
const RELOADED = 'reloaded';

/** Whether the page has something that loading it anew would lose. */
function isTyped(): boolean {
  const fields = document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>(
    'main input:not([type=search], [type=checkbox], [type=radio]), main textarea',
  );
  return [...fields].some(({ value, defaultValue }) => value !== defaultValue);
}

/** Once for each version: what still cannot be loaded then has another reason. */
function reloadOnce(): void {
  try {
    if (sessionStorage.getItem(RELOADED) === OWN) return;
    sessionStorage.setItem(RELOADED, OWN);
  } catch {
    return; // Without storage it might be for ever.
  }
  location.reload();
}

function OldApp(): JSX.Element {
  useEffect(() => {
    if (!isTyped()) reloadOnce();
  }, []);
  return (
    <div class="notice" role="alert">
      <p>{t('waiting.newVersion')}</p>
      <button type="button" onClick={() => location.reload()}>
        {t('waiting.load')}
      </button>
    </div>
  );
}

/** A page whose code is loaded on demand, and again after a failure. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props): JSX.Element {
    const [, setReady] = useState(false);
    const [attempt, setAttempt] = useState(0);
    // Code that is there already is shown before anything else is painted.
    useLayoutEffect(() => {
      if (loaded) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      load().then(
        (component) => {
          loaded = component;
          setReady(true);
        },
        () => {
          void findOut().catch(() => undefined);
          timer = setTimeout(() => setAttempt(attempt + 1), 2000);
        },
      );
      return () => clearTimeout(timer);
    }, [attempt]);
    const Page = loaded;
    if (Page) return <Page {...props} />;
    if (attempt > 0 && isOld.value) return <OldApp />;
    return (
      <p class="loading" role="status">
        {t(attempt === 0 ? 'loading' : 'waiting.connection')}
      </p>
    );
  };
}
