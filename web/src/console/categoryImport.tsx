/** A file of categories: what it would change, and then exactly that. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../data/action';
import { type Category, client } from '../data/client';
import { toFault } from '../data/fault';
import { categoriesQuery, forgetLists } from '../data/queries';
import { queryClient } from '../data/query';
import { Check } from '../elements/field';
import { ActionForm } from '../elements/form';
import { announce } from '../elements/notice';
import { named, t } from '../i18n';
import { type Difference, differences, isSame, read } from './definition';

export function Import({ categories }: { categories: readonly Category[] }): JSX.Element {
  const [found, setFound] = useState<Difference[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const choose = (text: string): void => {
    const definitions = read(text);
    setFound(definitions && differences(categories, definitions));
    setProblem(definitions ? null : t('admin.importBad'));
  };
  return (
    <>
      <label class="button">
        {t('admin.import')}
        <input
          class="unseen"
          type="file"
          accept="application/json,.json"
          onChange={(event) => {
            const input = event.currentTarget;
            void input.files?.[0]?.text().then((text) => {
              choose(text);
              input.value = '';
            });
          }}
        />
      </label>
      {problem && (
        <p class="notice bad" role="alert">
          {problem}
        </p>
      )}
      {found && (
        <Preview
          key={JSON.stringify(found.map(({ slug, kind }) => [slug, kind]))}
          found={found}
          categories={categories}
          onEnd={(changed) => {
            setFound(null);
            setProblem(changed === null ? null : t('admin.importChanged', { name: changed }));
          }}
        />
      )}
    </>
  );
}

/** What has the name is no longer what was shown. */
class Overtaken extends Error {}

/** Changes the category only if it still is what the preview was made from. */
async function apply({ slug, before, after }: Difference): Promise<void> {
  const now = await client.getCategory(slug).catch((error: unknown) => {
    if (toFault(error).status === 404) return null;
    throw error;
  });
  if (!isSame(now, before)) throw new Overtaken(slug);
  const option = now ? { ifMatch: now } : {};
  try {
    await (after ? client.putCategory(slug, after, option) : client.deleteCategory(slug, option));
  } catch (error) {
    throw toFault(error).slug === 'precondition-failed' ? new Overtaken(slug) : error;
  }
}

function Preview({
  found,
  categories,
  onEnd,
}: {
  found: Difference[];
  categories: readonly Category[];
  /** With the name of the category that was changed by another person meanwhile. */
  onEnd: (changed: string | null) => void;
}): JSX.Element {
  const [removes, setRemoves] = useState(false);
  const [done, setDone] = useState(0);
  const deletable = found.filter(({ kind, inUse }) => kind === 'removed' && !inUse);
  const steps = found.filter(({ kind }) => kind !== 'removed').concat(removes ? deletable : []);
  const nameOf = (slug: string | null | undefined): string => {
    if (slug == null) return t('admin.noParent');
    const known = categories.find((one) => one.slug === slug);
    return known ? named(known.name, known.names) : slug;
  };
  const action = useAction(async () => {
    try {
      for (const [index, step] of steps.entries()) {
        await apply(step);
        setDone(index + 1);
      }
      announce('done.save');
      onEnd(null);
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
      onEnd(nameOf(error.message));
    } finally {
      forgetLists();
      void queryClient.invalidateQueries({ queryKey: ['schema'] });
      await queryClient.invalidateQueries({ queryKey: categoriesQuery().queryKey });
    }
  });
  return (
    <section class="panel import" aria-label={t('admin.importTitle')}>
      <ActionForm
        action={action}
        send={t('admin.importSend')}
        onCancel={() => onEnd(null)}
        ready={steps.length > 0}
      >
        <h2>{t('admin.importTitle')}</h2>
        {found.length === 0 ? (
          <p>{t('admin.importNone')}</p>
        ) : (
          <ul class="list">
            {found.map((one) => (
              <Row key={one.slug} of={one} nameOf={nameOf} goes={removes && !one.inUse} />
            ))}
          </ul>
        )}
        {deletable.length > 0 && (
          <Check label={t('admin.importDelete')} value={removes} onValue={setRemoves} />
        )}
        {action.busy && <p role="status">{t('admin.progress', { done, all: steps.length })}</p>}
      </ActionForm>
    </section>
  );
}

const LOOKS = { added: 'badge good', changed: 'badge', removed: 'badge bad' };

function Row({
  of: difference,
  nameOf,
  goes,
}: {
  of: Difference;
  nameOf: (slug: string | null | undefined) => string;
  goes: boolean;
}): JSX.Element {
  const { kind, slug, before, after } = difference;
  const count = before?.count ?? 0;
  return (
    <li>
      <p>
        <span class={LOOKS[kind]}>{t(`admin.diff.${kind}`)}</span>{' '}
        <strong class={goes ? 'goes' : ''}>{after?.name ?? nameOf(slug)}</strong> <code>{slug}</code>
      </p>
      <p class="faint">
        {[...details(difference, nameOf), count > 0 && t('results.count', { count })]
          .filter(Boolean)
          .join(' · ')}
      </p>
    </li>
  );
}

function details(
  { kind, before, after, members, inUse }: Difference,
  nameOf: (slug: string | null | undefined) => string,
): string[] {
  if (kind === 'removed') return [t(inUse ? 'admin.importInUse' : 'admin.importKept')];
  if (!before || !after) return after?.parent ? [nameOf(after.parent)] : [];
  return members.map((member) => {
    switch (member) {
      case 'parent':
        return t('admin.diff.parent', { before: nameOf(before.parent), after: nameOf(after.parent) });
      case 'name':
        return t('admin.diff.name', { before: before.name });
      case 'position':
        return t('admin.diff.position', { before: before.position, after: after.position ?? 0 });
      case 'attributes':
        return t('admin.diff.attributes', { names: attributesOf(before, after).join(', ') });
      default:
        return t(`admin.diff.${member}`);
    }
  });
}

/** The names of the attributes that differ: `+` are new, `−` are gone. */
function attributesOf(before: Category, after: NonNullable<Difference['after']>): string[] {
  const own = before.attributes.filter(({ inherited }) => !inherited);
  const then = new Set(own.map(({ name }) => name));
  const now = new Set(after.attributes?.map(({ name }) => name));
  const names = [...new Set([...then, ...now])];
  const marked = names.map((name) => (then.has(name) ? (now.has(name) ? name : `−${name}`) : `+${name}`));
  const moved = marked.filter((name) => /^[+−]/.test(name));
  return moved.length > 0 ? moved : marked;
}
