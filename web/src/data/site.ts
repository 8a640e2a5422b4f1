import { computed, signal } from '@preact/signals';
import type { Currency } from '../i18n/format';
import { client, type Site } from './client';
import { type Feature, frame, type Texts } from './frame';

export const { logo, map: operatorMap } = frame;

/** As many records as a page is to show, or as many as the operator allows. */
export const pageOf = (size: number): number => Math.min(size, frame.most ?? size);

/** The operator's pages of that place, each in the language of the reader where there is one. */
export function pageLinks(language: string, place = 'footer'): { href: string; title: string }[] {
  const best = new Map<string, { language: string; title: string }>();
  const rank = (tag: string): number => (tag.split('-')[0] === language ? 2 : tag === '' ? 1 : 0);
  for (const page of frame.pages ?? []) {
    if (page.place !== place) continue;
    const before = best.get(page.slug);
    if (!before || rank(page.language) > rank(before.language)) best.set(page.slug, page);
  }
  return [...best].map(([slug, page]) => ({
    href: `/pages/${page.language ? `${slug}.${page.language}` : slug}`,
    title: page.title,
  }));
}

/** The text in the language of the reader, or else of the site, or else in any. */
export function said(texts: Texts | undefined, language: string): string {
  const found = new Map<string, string>();
  for (const [tag, text] of Object.entries(texts ?? {}).reverse()) found.set(tag.split('-')[0] ?? tag, text);
  const own = frame.language?.split('-')[0] ?? '';
  return found.get(language) ?? found.get(own) ?? [...found.values()].pop() ?? '';
}

export const { headline, welcome, banner } = frame;
/** Whether the site has this. */
export const has = (feature: Feature): boolean => !frame.off?.includes(feature);
export const registrationOpen = frame.registration !== 'closed';

/** The answer of `GET /site`; until it is loaded, defaults apply. */
export const site = signal<Site | null>(null);
export const siteName = computed(() => site.value?.name ?? frame.name ?? 'adsvc');
export const currency = computed<Currency>(() => ({
  code: site.value?.currency ?? 'EUR',
  decimals: site.value?.priceDecimals ?? 0,
}));

export function limit(name: keyof NonNullable<Site['limits']>, usual: number): number {
  return site.value?.limits[name] ?? usual;
}

export async function loadSite(): Promise<void> {
  site.value = await client.getSite();
}
