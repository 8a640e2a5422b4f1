/** The sections of the home page: their order, headings and what each shows. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { type SiteSection, valuesOf } from '../data/client';
import type { Fault } from '../data/fault';
import { messageAt } from '../data/faultText';
import { Select, TextArea, TextField } from '../elements/field';
import { t } from '../i18n';
import { LanguageTabs } from './languageTabs';

const KINDS = valuesOf<SiteSection['kind']>({
  categories: true,
  near: true,
  newest: true,
  collection: true,
  text: true,
});

export function Sections({
  value,
  onValue,
  fault,
}: {
  value: SiteSection[];
  onValue: (sections: SiteSection[]) => void;
  fault: Fault | null;
}): JSX.Element {
  const [kind, setKind] = useState<SiteSection['kind']>('categories');
  const put = (index: number, ...sections: SiteSection[]): void =>
    onValue(value.toSpliced(index, 1, ...sections));
  const move = (index: number, to: number): void =>
    onValue(value.toSpliced(index, 1).toSpliced(to, 0, value[index] as SiteSection));
  return (
    <fieldset class="members">
      <legend>{t('sections.title')}</legend>
      <p class="hint">{t('sections.hint')}</p>
      {value.map((section, index) => {
        const name = `${index + 1}. ${t(`sections.kind.${section.kind}`)}`;
        const write = (member: 'title' | 'text', tag: string, text: string): void => {
          const { [tag]: _, ...others } = section[member];
          put(index, { ...section, [member]: text ? { ...others, [tag]: text } : others });
        };
        return (
          <fieldset key={index} class="panel stack">
            <legend>{name}</legend>
            <LanguageTabs others={{ ...section.title, ...section.text }}>
              {(tag) => (
                <>
                  <TextField
                    label={t('sections.heading')}
                    value={section.title[tag] ?? ''}
                    onValue={(text) => write('title', tag, text)}
                    maxLength={100}
                    optional
                  />
                  {section.kind === 'text' && (
                    <TextArea
                      label={t('sections.text')}
                      value={section.text[tag] ?? ''}
                      onValue={(text) => write('text', tag, text)}
                      maxLength={2000}
                      rows={3}
                    />
                  )}
                </>
              )}
            </LanguageTabs>
            {section.kind === 'collection' && (
              <TextField
                label={t('sections.query')}
                hint={t('sections.queryHint')}
                value={section.query}
                onValue={(query) => put(index, { ...section, query: query.replace(/^.*\?/, '') })}
                error={messageAt(fault, `/sections/${index}/query`)}
              />
            )}
            <div class="row">
              <button
                type="button"
                aria-label={t('pages.up', { name })}
                disabled={index === 0}
                onClick={() => move(index, index - 1)}
              >
                ↑
              </button>
              <button
                type="button"
                aria-label={t('pages.down', { name })}
                disabled={index === value.length - 1}
                onClick={() => move(index, index + 1)}
              >
                ↓
              </button>
              <button
                type="button"
                aria-label={t('sections.removeNamed', { name })}
                onClick={() => put(index)}
              >
                {t('sections.remove')}
              </button>
            </div>
          </fieldset>
        );
      })}
      <Select
        label={t('sections.new')}
        value={kind}
        onValue={setKind}
        choices={KINDS.map((one) => ({ value: one, label: t(`sections.kind.${one}`) }))}
      />
      <button
        type="button"
        disabled={value.length >= 12}
        onClick={() => onValue([...value, { kind, title: {}, query: '', text: {} }])}
      >
        {t('sections.add')}
      </button>
    </fieldset>
  );
}
