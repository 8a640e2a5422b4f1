/** Pages of the site in Markdown: their order, and an editor with a preview. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { lazy } from '../app/lazy';
import { type Action, useAction } from '../data/action';
import { client, type SitePage } from '../data/client';
import { messageAt } from '../data/faultText';
import { useQuery } from '../data/query';
import { said } from '../data/site';
import { Select, TextArea, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Loaded } from '../elements/listing';
import { FaultNotice } from '../elements/notice';
import { language, t } from '../i18n';
import { LanguageTabs } from './languageTabs';
import { NamedDeletion } from './operation';
import { showSiteChange, sitePagesQuery, siteQuery } from './queries';

const Markdown = lazy(() => import('./markdown').then((module) => module.default));

const PLACES = ['footer', 'menu', 'none'] as const;
const EMPTY: SitePage = { slug: '', title: {}, text: {}, place: 'footer', position: 0, version: 0 };

export function PagesPart(): JSX.Element {
  const [edited, setEdited] = useState<SitePage | null>(null);
  const result = useQuery(sitePagesQuery());
  if (edited !== null) return <PageEditor page={edited} onDone={() => setEdited(null)} />;
  return (
    <>
      <div class="toolbar">
        <button type="button" class="primary" onClick={() => setEdited(EMPTY)}>
          {t('pages.new')}
        </button>
      </div>
      <Loaded result={result}>{({ results }) => <PageList pages={results} onEdit={setEdited} />}</Loaded>
    </>
  );
}

function PageList({ pages, onEdit }: { pages: SitePage[]; onEdit: (page: SitePage) => void }): JSX.Element {
  const moving = useAction(
    async (from: number, to: number) => {
      const order = pages.toSpliced(from, 1).toSpliced(to, 0, pages[from] as SitePage);
      for (const [position, { slug, version: _, ...page }] of order.entries())
        if (page.position !== position) await client.saveSitePage(slug, { ...page, position });
      await showSiteChange();
    },
    { repeatable: true },
  );
  const publishing = useAction(
    async (slug: string) => {
      await client.publishSitePage(slug);
      await showSiteChange();
    },
    { repeatable: true },
  );
  const terms = useQuery(siteQuery()).data?.termsPage ?? null;
  const choosing = useAction(
    async (termsPage: string | null) => {
      await client.updateSite({ termsPage });
      await showSiteChange();
    },
    { repeatable: true },
  );
  if (pages.length === 0) return <p>{t('pages.none')}</p>;
  return (
    <>
      <FaultNotice fault={moving.fault ?? publishing.fault ?? choosing.fault} limited={moving.limited} />
      <p class="hint">{t('pages.termsHint')}</p>
      <ul class="list">
        {pages.map((page, index) => {
          const name = said(page.title, language.value);
          return (
            <li key={page.slug} class="split">
              <div>
                <p>
                  <a href={`/pages/${page.slug}`} data-leave>
                    {name}
                  </a>
                </p>
                <p class="faint">
                  {t(`pages.place.${page.place}`)} · {Object.keys(page.text).join(', ')} ·{' '}
                  {t('pages.version', { version: page.version })}
                  {page.slug === terms && ` · ${t('pages.isTerms')}`}
                </p>
              </div>
              <div class="row">
                <Move {...{ moving, name, index, to: index - 1, count: pages.length }} />
                <Move {...{ moving, name, index, to: index + 1, count: pages.length }} />
                <button type="button" aria-label={t('admin.edit', { name })} onClick={() => onEdit(page)}>
                  {t('pages.edit')}
                </button>
                <button
                  type="button"
                  aria-label={t('pages.publishNamed', { name })}
                  disabled={publishing.busy}
                  onClick={() => void publishing.run(page.slug)}
                >
                  {t('pages.publish')}
                </button>
                <button
                  type="button"
                  aria-pressed={page.slug === terms}
                  aria-label={t('pages.termsNamed', { name })}
                  disabled={choosing.busy}
                  onClick={() => void choosing.run(page.slug === terms ? null : page.slug)}
                >
                  {t('pages.terms')}
                </button>
                <NamedDeletion
                  name={name}
                  remove={async () => {
                    await client.deleteSitePage(page.slug);
                    await showSiteChange();
                  }}
                />
              </div>
            </li>
          );
        })}
      </ul>
    </>
  );
}

function Move({
  moving,
  name,
  index,
  to,
  count,
}: {
  moving: Action<[number, number]>;
  name: string;
  index: number;
  to: number;
  count: number;
}): JSX.Element {
  return (
    <button
      type="button"
      class="plain"
      aria-label={t(to < index ? 'pages.up' : 'pages.down', { name })}
      disabled={moving.busy || to < 0 || to >= count}
      onClick={() => void moving.run(index, to)}
    >
      {to < index ? '↑' : '↓'}
    </button>
  );
}

function PageEditor({ page, onDone }: { page: SitePage; onDone: () => void }): JSX.Element {
  const fields = useFields(
    page,
    async ({ slug, version: _, ...given }) => {
      await client.saveSitePage(slug, given);
      await showSiteChange();
      onDone();
    },
    { repeatable: true },
  );
  const { values, change, tie } = fields;
  /** A language without a text is no language of the page. */
  const write = (member: 'title' | 'text', tag: string, value: string): void => {
    const { [tag]: _, ...others } = values[member];
    change({ [member]: value ? { ...others, [tag]: value } : others });
  };
  return (
    <ActionForm action={fields} send={t('form.save')} onCancel={onDone} ready={values.slug !== ''}>
      <h2>{page.slug || t('pages.new')}</h2>
      {page.slug === '' && (
        <TextField
          label={t('admin.slug')}
          {...tie('slug')}
          hint={t('pages.slugHint')}
          error={messageAt(fields.fault, 'slug')}
          required
        />
      )}
      <LanguageTabs others={values.text}>
        {(tag) => (
          <>
            <TextField
              label={t('pages.title')}
              value={values.title[tag] ?? ''}
              onValue={(value) => write('title', tag, value)}
              error={messageAt(fields.fault, '/title')}
              maxLength={100}
            />
            <TextArea
              label={t('pages.text')}
              hint={t('pages.textHint')}
              value={values.text[tag] ?? ''}
              onValue={(value) => write('text', tag, value)}
              error={messageAt(fields.fault, '/text')}
              maxLength={64000}
              rows={14}
            />
            <section class="prose site-preview" aria-label={t('pages.preview')} lang={tag}>
              <p class="headline">{values.title[tag]}</p>
              <Markdown text={values.text[tag] ?? ''} />
            </section>
          </>
        )}
      </LanguageTabs>
      <Select
        label={t('pages.place')}
        {...tie('place')}
        choices={PLACES.map((value) => ({ value, label: t(`pages.place.${value}`) }))}
      />
    </ActionForm>
  );
}
