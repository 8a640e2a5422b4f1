/** The set-up of a new site, by the link that the service has printed. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { address, navigate } from '../app/router';
import { Decimals } from '../console/decimals';
import '../console/words';
import { type Category, client, valuesOf } from '../data/client';
import { logIn } from '../data/session';
import { currency, limit, loadSite, site, siteName } from '../data/site';
import { Check, Checks, Select, TextField } from '../elements/field';
import { useFields } from '../elements/fields';
import { ActionForm } from '../elements/form';
import { Page } from '../elements/page';
import { KNOWN, languageName, t } from '../i18n';

type Tree = 'general' | 'vehicles' | 'property' | 'jobs' | 'animals' | 'empty';

const TREES = valuesOf<Tree>({
  general: true,
  vehicles: true,
  property: true,
  jobs: true,
  animals: true,
  empty: true,
});
const MOST_SAMPLES = 6;

export function SetUpPage(): JSX.Element {
  const [isValid, setValid] = useState<boolean | null>(null);
  useEffect(() => {
    fetch(address.peek().href, { method: 'HEAD' }).then(
      (answer) => setValid(answer.ok),
      () => setValid(true),
    );
  }, []);
  return (
    <Page title={t('setup.title')} narrow="form">
      {isValid === false && <p role="alert">{t('problem.setup-ended')}</p>}
      {isValid && site.value && <SetUpForm />}
    </Page>
  );
}

function SetUpForm(): JSX.Element {
  const { languages = [], contact = 'open' } = site.value ?? {};
  const initial = {
    ...{ username: '', password: '', name: siteName.value, currency: currency.value.code, country: '' },
    ...{
      priceDecimals: currency.value.decimals,
      languages: [...languages],
      contact,
      categories: 'general' as Tree,
      samples: false,
    },
  };
  const fields = useFields(initial, async ({ username, password, categories, samples, country, ...rest }) => {
    const changed = Object.entries({ ...rest, ...(country ? { country } : {}) }).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(initial[name as keyof typeof initial]),
    );
    const token = address.peek().searchParams.get('token') ?? '';
    const json = {
      ...{ token, username, password, categories },
      ...(changed.length > 0 ? { site: Object.fromEntries(changed) } : {}),
    };
    await client.setUp(json);
    await logIn(username, password);
    await loadSite();
    if (samples) await postSamples();
    navigate('/console/site', { replace: true });
  });
  const { values, change, tie } = fields;
  return (
    <ActionForm action={fields} send={t('setup.send')}>
      <p>{t('setup.text')}</p>
      <TextField label={t('enter.username')} {...tie('username')} autocomplete="username" required />
      <TextField
        label={t('enter.password')}
        type="password"
        {...tie('password')}
        autocomplete="new-password"
        hint={t('enter.passwordHint', { count: limit('passwordMinLength', 8) })}
        required
      />
      <TextField label={t('setup.name')} {...tie('name')} maxLength={60} required />
      <Checks
        label={t('site.languages')}
        value={values.languages}
        onValue={(chosen) => change({ languages: [...chosen] })}
        offered={KNOWN}
        textOf={languageName}
      />
      <TextField
        label={t('site.currency')}
        hint={t('site.currencyHint')}
        {...tie('currency')}
        maxLength={3}
      />
      <Decimals {...tie('priceDecimals')} />
      <TextField
        label={t('site.country')}
        hint={t('site.countryHint')}
        {...tie('country')}
        maxLength={2}
        optional
      />
      <Select
        label={t('site.contact')}
        {...tie('contact')}
        choices={(['open', 'hidden'] as const).map((value) => ({ value, label: t(`site.contact.${value}`) }))}
      />
      <Select
        label={t('setup.categories')}
        {...tie('categories')}
        choices={TREES.map((value) => ({ value, label: t(`setup.tree.${value}`) }))}
      />
      <Check label={t('setup.samples')} value={values.samples} onValue={(samples) => change({ samples })} />
    </ActionForm>
  );
}

/** One ad in each of some categories that demand nothing. They are ads as any others, and can be deleted. */
async function postSamples(): Promise<void> {
  const { results } = await client.listCategories();
  const easy = results.filter(({ attributes }) => !attributes.some((one) => one.required));
  for (const [number, category] of easy.slice(0, MOST_SAMPLES).entries()) {
    await client.createAd(
      {
        title: t('setup.sampleTitle', { category: category.name }),
        description: t('setup.sampleText'),
        price: (number + 1) * 50 * 10 ** currency.value.decimals,
        category: category.slug,
      },
      [await pictureOf(category, number)],
    );
  }
}

function pictureOf(category: Category, number: number): Promise<Blob> {
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [800, 600];
  const context = canvas.getContext('2d');
  if (context) {
    context.fillStyle = `hsl(${number * 60} 45% 40%)`;
    context.fillRect(0, 0, 800, 600);
    context.fillStyle = '#fff';
    context.font = 'bold 64px sans-serif';
    context.textAlign = 'center';
    context.fillText(category.name, 400, 320, 720);
  }
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('The browser draws no picture.'))));
  });
}
