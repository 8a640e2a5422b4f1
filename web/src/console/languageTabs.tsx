/** What has a text in each language: a tab for each, the site's own language first. */
import type { ComponentChildren, JSX } from 'preact';
import { useId, useState } from 'preact/hooks';
import { site } from '../data/site';
import { t } from '../i18n';

export function LanguageTabs({
  others,
  children,
}: {
  /** The texts in other languages that there are already. */
  others: Record<string, unknown>;
  children: (tag: string, isMain: boolean) => ComponentChildren;
}): JSX.Element {
  const own = site.value?.languages ?? [];
  const [main = 'en'] = own;
  const tags = [...new Set([main, ...own, ...Object.keys(others)])];
  const [tag, setTag] = useState(main);
  const id = useId();
  return (
    <div class="languages">
      <div class="language-tabs" role="tablist" aria-label={t('admin.language')}>
        {tags.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            id={`${id}-${one}`}
            aria-controls={id}
            aria-selected={one === tag}
            tabIndex={one === tag ? 0 : -1}
            onClick={() => setTag(one)}
            onKeyDown={(event) => {
              const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
              if (step === undefined) return;
              const next = tags[(tags.indexOf(tag) + step + tags.length) % tags.length] ?? main;
              setTag(next);
              document.getElementById(`${id}-${next}`)?.focus();
            }}
          >
            {one}
          </button>
        ))}
      </div>
      <div class="stack" role="tabpanel" id={id} aria-labelledby={`${id}-${tag}`}>
        {children(tag, tag === main)}
      </div>
    </div>
  );
}
