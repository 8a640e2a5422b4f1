/** After an ad was published: what to do next. */
import '../post/words';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { t } from '../i18n';
import { published } from '../post/published';

export function Published(): JSX.Element {
  useEffect(
    () => () => {
      published.value = null;
    },
    [],
  );
  return (
    <section class="panel good-news celebrates" aria-labelledby="published">
      <h2 id="published">{t('published.title')}</h2>
      <p>{t('published.text')}</p>
      <a class="button" href="/post">
        {t('published.another')}
      </a>
    </section>
  );
}
