import type { ComponentType, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { t } from '../i18n';

/** A page whose code is loaded on demand, and again after a failure. */
export function lazy<Props extends object>(load: () => Promise<ComponentType<Props>>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function Lazy(props: Props): JSX.Element {
    const [, setReady] = useState(false);
    const [attempt, setAttempt] = useState(0);
    useEffect(() => {
      if (loaded) return;
      let timer: ReturnType<typeof setTimeout> | undefined;
      load().then(
        (component) => {
          loaded = component;
          setReady(true);
        },
        () => {
          timer = setTimeout(() => setAttempt(attempt + 1), 2000);
        },
      );
      return () => clearTimeout(timer);
    }, [attempt]);
    const Page = loaded;
    if (Page) return <Page {...props} />;
    return (
      <p class="loading" role="status">
        {t(attempt === 0 ? 'loading' : 'waiting.connection')}
      </p>
    );
  };
}
