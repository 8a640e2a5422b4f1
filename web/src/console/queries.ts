/** The requests of the console. */
import {
  type AccessRuleList,
  type Account,
  type Accounts,
  type AdministeredAds,
  type AdministeredSite,
  type AuditEvents,
  client,
  type Deletions,
  type IdentityProviders,
  type JobList,
  type MailAttempts,
  type MailTextsList,
  type Maintenance,
  type OutboxEntries,
  type Overview,
  type SettingList,
  type SiteChanges,
  type SiteInvitations,
  type SitePages,
} from '../data/client';
import { type Options, paged } from '../data/queries';
import { type PagesOptions, queryClient } from '../data/query';
import { loadSite, site } from '../data/site';
import { announce } from '../elements/notice';

type Query<Name extends 'listAllAds' | 'listAuditEvents' | 'listOutbox'> = NonNullable<
  Parameters<(typeof client)[Name]>[0]
>;

export type AdsQuery = Omit<Query<'listAllAds'>, 'cursor' | 'limit'>;
export type AuditQuery = Omit<Query<'listAuditEvents'>, 'cursor' | 'limit'>;
export type EntryStatus = NonNullable<Query<'listOutbox'>['status']>;

const LIMIT = 50;
/** What jobs and mails do is seen without a reload. */
export const OFTEN = { staleTime: 0, refetchInterval: 10_000 };
/** What is new, too. */
const SOMETIMES = { staleTime: 0, refetchInterval: 60_000 };
const NEWEST = 8;

export const overviewQuery = (): Options<Overview> => ({
  queryKey: ['console', 'overview'],
  queryFn: ({ signal }) => client.getOverview({ signal }),
  ...SOMETIMES,
});

export const newestAdsQuery = (): Options<AdministeredAds> => ({
  queryKey: ['console', 'newest', 'ads'],
  queryFn: ({ signal }) => client.listAllAds({ limit: NEWEST }, { signal }),
  ...SOMETIMES,
});

export const newestAccountsQuery = (): Options<Accounts> => ({
  queryKey: ['console', 'newest', 'accounts'],
  queryFn: ({ signal }) => client.listUsers({ limit: NEWEST }, { signal }),
  ...SOMETIMES,
});

export const allAdsQuery = (query: AdsQuery): PagesOptions<AdministeredAds> => ({
  ...paged(['console', 'ads', query], (from, options) =>
    client.listAllAds({ ...query, limit: LIMIT, ...from }, options),
  ),
  staleTime: 0,
});

export const accountQuery = (id: number): Options<Account> => ({
  queryKey: ['console', 'account', id],
  queryFn: ({ signal }) => client.getUser(id, { signal }),
  staleTime: 0,
});

export const auditQuery = (query: AuditQuery): PagesOptions<AuditEvents> => ({
  ...paged(['console', 'audit', query], (from, options) =>
    client.listAuditEvents({ ...query, limit: LIMIT, ...from }, options),
  ),
  staleTime: 0,
});

export const siteQuery = (): Options<AdministeredSite> => ({
  queryKey: ['console', 'site'],
  queryFn: ({ signal }) => client.getAdministeredSite({ signal }),
  staleTime: 0,
});

export const siteChangesQuery = (): PagesOptions<SiteChanges> => ({
  ...paged(['console', 'site', 'history'], (from, options) =>
    client.listSiteChanges({ limit: 10, ...from }, options),
  ),
  staleTime: 0,
});

export const sitePagesQuery = (): Options<SitePages> => ({
  queryKey: ['console', 'site', 'pages'],
  queryFn: ({ signal }) => client.listSitePages({ signal }),
  staleTime: 0,
});

export const invitationsQuery = (): Options<SiteInvitations> => ({
  queryKey: ['console', 'site', 'invitations'],
  queryFn: ({ signal }) => client.listInvitations({ signal }),
  staleTime: 0,
});

export const providersQuery = (): Options<IdentityProviders> => ({
  queryKey: ['console', 'providers'],
  queryFn: ({ signal }) => client.listProviders({ signal }),
  staleTime: 0,
});

export const mailsQuery = (id: number): PagesOptions<MailAttempts> => ({
  ...paged(['console', 'account', id, 'mails'], (from, options) =>
    client.listUserMails(id, { limit: 10, ...from }, options),
  ),
  staleTime: 0,
});

export const maintenanceQuery = (): Options<Maintenance> => ({
  queryKey: ['console', 'maintenance'],
  queryFn: ({ signal }) => client.getMaintenance({ signal }),
  staleTime: 0,
});

export const accessRulesQuery = (): Options<AccessRuleList> => ({
  queryKey: ['console', 'rules'],
  queryFn: ({ signal }) => client.listAccessRules({ signal }),
  ...OFTEN,
});

export const deletionsQuery = (): PagesOptions<Deletions> => ({
  ...paged(['console', 'deletions'], (from, options) =>
    client.listDeletions({ limit: LIMIT, ...from }, options),
  ),
  staleTime: 0,
});

export const mailTextsQuery = (): Options<MailTextsList> => ({
  queryKey: ['console', 'mailTexts'],
  queryFn: ({ signal }) => client.listMails({ signal }),
  staleTime: 0,
});

export const settingsQuery = (): Options<SettingList> => ({
  queryKey: ['console', 'settings'],
  queryFn: ({ signal }) => client.listSettings({ signal }),
});

export const jobsQuery = (): Options<JobList> => ({
  queryKey: ['console', 'jobs'],
  queryFn: ({ signal }) => client.listJobs({ signal }),
  ...OFTEN,
  refetchInterval: 2000,
});

export const outboxQuery = (status: EntryStatus): PagesOptions<OutboxEntries> => ({
  ...paged(['console', 'outbox', status], (from, options) =>
    client.listOutbox({ status, limit: LIMIT, ...from }, options),
  ),
  staleTime: 0,
});

export const forgetConsole = (...of: (string | number)[]): Promise<void> =>
  queryClient.invalidateQueries({ queryKey: ['console', ...of] });

/** The page was made with the accent and the rules before: any name with this beginning has those of now. */
function showTheme(): void {
  const known = document.querySelector<HTMLLinkElement>('link[href^="/assets/theme-"]');
  const link = known ?? document.head.appendChild(document.createElement('link'));
  link.rel = 'stylesheet';
  link.href = `/assets/theme-${Date.now()}.css`;
}

export async function showSiteChange(): Promise<void> {
  announce('console.done');
  await Promise.all([forgetConsole('site'), loadSite()]);
  if (site.value?.colors.accent) showTheme();
}
