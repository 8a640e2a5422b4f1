/** The site itself: its texts, colours, languages and who may register, with a preview and a history. */
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { type AdministeredSite, client, type SiteChange, valuesOf } from '../data/client';
import { messageAt } from '../data/faultText';
import type { Feature, Texts } from '../data/frame';
import { usePages, useQuery } from '../data/query';
import { Check, Checks, Field, Select, TextArea, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Listing, Loaded } from '../elements/listing';
import { FaultNotice } from '../elements/notice';
import { KNOWN, languageName, t } from '../i18n';
import { formatMoment } from '../i18n/format';
import { accentSheet } from './accent';
import { Decimals } from './decimals';
import { Invitations } from './invitations';
import { LanguageTabs } from './languageTabs';
import { showSiteChange, siteChangesQuery, siteQuery } from './queries';
import { Sections } from './sections';
import { SitePictures } from './sitePictures';

type Member = Exclude<keyof AdministeredSite, 'fixed'>;

const TEXTS = ['headline', 'welcome', 'banner'] as const;
const FEATURES = valuesOf<Feature>({
  comments: true,
  offers: true,
  conversations: true,
  phone: true,
  map: true,
  push: true,
  searches: true,
});
const OWN_ACCENT = '#0b5d57';

export function SitePart(): JSX.Element {
  return (
    <Loaded result={useQuery(siteQuery())}>
      {(site) => (
        <>
          <SitePictures site={site} />
          <SiteForm key={JSON.stringify(site)} site={site} />
          {site.registration === 'invitation' && <Invitations />}
          <History />
        </>
      )}
    </Loaded>
  );
}

const linesOf = (text: string): string[] => text.split(/\s+/).filter(Boolean);

/** Languages that have a text no more are removed by null. */
function patchOf(before: Texts, after: Texts): Record<string, string | null> {
  const gone = Object.keys(before).filter((tag) => !after[tag]);
  return { ...after, ...Object.fromEntries(gone.map((tag) => [tag, null])) };
}

function SiteForm({ site }: { site: AdministeredSite }): JSX.Element {
  const { fixed, colors, ...members } = site;
  const initial = {
    ...members,
    country: site.country ?? '',
    embedOrigins: site.embedOrigins.join('\n'),
    scriptOrigins: site.analytics?.origins.join('\n') ?? '',
    snippet: site.analytics?.snippet ?? '',
    accent: colors.accent,
  };
  const fields = useFields(
    initial,
    async ({ accent, country, embedOrigins, scriptOrigins, snippet, ...given }) => {
      const wanted: Record<string, unknown> = { ...given, country: country || null, colors: { accent } };
      wanted.embedOrigins = linesOf(embedOrigins);
      const origins = linesOf(scriptOrigins);
      wanted.analytics = origins.length > 0 || snippet ? { origins, snippet } : null;
      for (const name of TEXTS) wanted[name] = patchOf(site[name], given[name]);
      const same = (name: string): boolean =>
        JSON.stringify(wanted[name]) === JSON.stringify(site[name as Member]);
      const changes = Object.entries(wanted).filter(([name]) => !same(name));
      if (changes.length > 0) await client.updateSite(Object.fromEntries(changes), { ifMatch: site });
      await showSiteChange();
    },
  );
  const { values, change, tie } = fields;
  const [isTried, setTried] = useState(false);
  usePreview(
    values.accent === colors.accent ? null : (values.accent ?? OWN_ACCENT),
    isTried ? values.css : '',
  );
  const tags = [...new Set([...KNOWN, ...values.languages])];
  return (
    <ActionForm action={fields} send={t('console.save')} label={t('console.site')}>
      <Group of={['name']} fixed={fixed}>
        <TextField label={t('site.name')} {...tie('name')} maxLength={60} required />
      </Group>
      <LanguageTabs others={Object.assign({}, ...TEXTS.map((name) => values[name]))}>
        {(tag) => {
          const text = (name: (typeof TEXTS)[number], longest: number): TextTie => ({
            label: t(`site.${name}`),
            hint: t(`site.${name}Hint`),
            value: values[name][tag] ?? '',
            onValue: (value) => change({ [name]: { ...values[name], [tag]: value } }),
            error: messageAt(fields.fault, `/${name}`),
            maxLength: longest,
            optional: true,
          });
          return (
            <>
              <TextField {...text('headline', 200)} />
              <TextArea {...text('welcome', 2000)} rows={3} />
              <TextField {...text('banner', 200)} />
              <Preview name={values.name} headline={values.headline[tag]} welcome={values.welcome[tag]} />
            </>
          );
        }}
      </LanguageTabs>
      <Sections value={values.sections} onValue={(sections) => change({ sections })} fault={fields.fault} />
      <Group of={['colors']} fixed={fixed}>
        <Field
          label={t('site.accent')}
          hint={t('site.accentHint')}
          error={messageAt(fields.fault, '/colors/accent')}
        >
          {(tied) => (
            <input
              {...tied}
              type="color"
              value={values.accent ?? OWN_ACCENT}
              onInput={(event) => change({ accent: event.currentTarget.value })}
            />
          )}
        </Field>
        <Check
          label={t('site.ownAccent')}
          value={values.accent === null}
          onValue={(on) => change({ accent: on ? null : OWN_ACCENT })}
        />
      </Group>
      <TextArea label={t('site.css')} hint={t('site.cssHint')} {...tie('css')} maxLength={32768} optional />
      <Check label={t('site.try')} value={isTried} onValue={setTried} />
      <Group of={['languages']} fixed={fixed}>
        <Checks
          label={t('site.languages')}
          value={values.languages}
          onValue={(chosen) =>
            change({
              languages: [...new Set([...values.languages, ...chosen])].filter((tag) => chosen.includes(tag)),
            })
          }
          offered={tags}
          textOf={languageName}
        />
        <Select
          label={t('site.firstLanguage')}
          value={values.languages[0] ?? ''}
          onValue={(first) =>
            change({ languages: [first, ...values.languages.filter((tag) => tag !== first)] })
          }
          choices={values.languages.map((tag) => ({ value: tag, label: languageName(tag) }))}
          error={messageAt(fields.fault, '/languages')}
        />
      </Group>
      <Group of={['currency']} fixed={fixed}>
        <TextField
          label={t('site.currency')}
          hint={t('site.currencyHint')}
          {...tie('currency')}
          maxLength={3}
        />
      </Group>
      <Group of={['priceDecimals']} fixed={fixed}>
        <Decimals {...tie('priceDecimals')} />
      </Group>
      <Group of={['country']} fixed={fixed}>
        <TextField
          label={t('site.country')}
          hint={t('site.countryHint')}
          {...tie('country')}
          maxLength={2}
          optional
        />
      </Group>
      <Group of={['contact']} fixed={fixed}>
        <Select
          label={t('site.contact')}
          {...tie('contact')}
          choices={(['open', 'hidden'] as const).map((value) => ({
            value,
            label: t(`site.contact.${value}`),
          }))}
        />
      </Group>
      <Group of={['registration']} fixed={fixed}>
        <Select
          label={t('site.registration')}
          {...tie('registration')}
          choices={(['open', 'invitation', 'closed'] as ('open' | 'closed')[]).map((value) => ({
            value,
            label: t(`site.registration.${value}`),
          }))}
        />
      </Group>
      <TextArea
        label={t('site.embed')}
        hint={t('site.embedHint')}
        {...tie('embedOrigins')}
        error={messageAt(fields.fault, '/embedOrigins') ?? messageAt(fields.fault, '/embedOrigins/0')}
        rows={3}
        optional
      />
      <TextArea
        label={t('site.scripts')}
        hint={t('site.scriptsHint')}
        {...tie('scriptOrigins')}
        error={
          messageAt(fields.fault, '/analytics/origins') ?? messageAt(fields.fault, '/analytics/origins/0')
        }
        rows={2}
        optional
      />
      <TextArea
        label={t('site.snippet')}
        hint={t('site.snippetHint')}
        {...tie('snippet')}
        error={messageAt(fields.fault, '/analytics') ?? messageAt(fields.fault, '/analytics/snippet')}
        maxLength={2048}
        rows={3}
        optional
      />
      <Group of={['features']} fixed={fixed}>
        <Checks
          label={t('site.features')}
          value={FEATURES.filter((one) => values.features[one])}
          onValue={(chosen) =>
            change({
              features: Object.fromEntries(FEATURES.map((one) => [one, chosen.includes(one)])) as Record<
                Feature,
                boolean
              >,
            })
          }
          offered={FEATURES}
          textOf={(one) => t(`site.feature.${one}`)}
        />
      </Group>
    </ActionForm>
  );
}

interface TextTie {
  label: string;
  hint: string;
  value: string;
  onValue: (value: string) => void;
  error: string | undefined;
  maxLength: number;
  optional: boolean;
}

/** Controls of members; those that the environment sets cannot be used. */
function Group({
  of: members,
  fixed,
  children,
}: {
  of: Member[];
  fixed: readonly string[];
  children: ComponentChildren;
}): JSX.Element {
  const isFixed = members.some((member) => fixed.includes(member));
  return (
    <fieldset class="members" disabled={isFixed}>
      {children}
      {isFixed && <p class="hint">{t('site.fixed')}</p>}
    </fieldset>
  );
}

/** The top of the home page, as it is to become. */
function Preview({
  name,
  headline,
  welcome,
}: {
  name: string;
  headline: string | undefined;
  welcome: string | undefined;
}): JSX.Element {
  return (
    <section class="hero site-preview" aria-label={t('site.preview')}>
      <p class="faint">{name}</p>
      <p class="headline">{headline || t('home.hero')}</p>
      {welcome && <p class="welcome">{welcome}</p>}
      <p>
        <span class="tag accent">{t('shell.post')}</span>
      </p>
    </section>
  );
}

/** Shows another accent and other style rules on this page alone, until it is left. */
function usePreview(accent: string | null, css: string): void {
  useEffect(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${accent === null ? '' : accentSheet(accent)}\n${css}`);
    document.adoptedStyleSheets = [sheet];
    return () => {
      document.adoptedStyleSheets = [];
    };
  }, [accent, css]);
}

function History(): JSX.Element {
  return (
    <section aria-labelledby="site-history">
      <h2 id="site-history">{t('site.history')}</h2>
      <Listing
        result={usePages(siteChangesQuery())}
        look="list"
        none={t('site.noHistory')}
        each={(one: SiteChange) => <OneChange key={one.id} of={one} />}
      />
    </section>
  );
}

const asText = (value: unknown): string =>
  value === null ? t('site.default') : typeof value === 'string' ? value : JSON.stringify(value);

function OneChange({ of: one }: { of: SiteChange }): JSX.Element {
  const action = useAction(async () => {
    await client.restoreSite(one.id);
    await showSiteChange();
  });
  return (
    <li class="split">
      <div>
        <p class="faint">
          {formatMoment(one.at)} · {t('console.actor')}: {one.actor}
        </p>
        {Object.entries(one.after).map(([name, after]) => (
          <p key={name} class="as-written">
            <code>{name}</code>: {asText(one.before[name])} → {asText(after)}
          </p>
        ))}
        <FaultNotice fault={action.fault} limited={action.limited} />
      </div>
      <button
        type="button"
        aria-label={t('site.undoNamed', { name: `${Object.keys(one.after).join(', ')} #${one.id}` })}
        disabled={action.busy}
        onClick={() => void action.run()}
      >
        {t('site.undo')}
      </button>
    </li>
  );
}
