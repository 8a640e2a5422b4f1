/** Markdown as elements, by the rules by which the service makes pages of it. */

import type { Token } from 'markdown-it';
import MarkdownIt from 'markdown-it';
import { type ComponentChildren, h, type JSX } from 'preact';

const parser = new MarkdownIt('commonmark', { html: false }).enable('table');

export default function Markdown({ text }: { text: string }): JSX.Element {
  return <>{nodesOf(parser.parse(text, {}))}</>;
}

function nodesOf(tokens: readonly Token[]): ComponentChildren[] {
  const whole: ComponentChildren[] = [];
  const opened: { token: Token; nodes: ComponentChildren[] }[] = [];
  for (const token of tokens) {
    if (token.nesting === 1) {
      opened.push({ token, nodes: [] });
      continue;
    }
    const ended = token.nesting === -1 ? opened.pop() : undefined;
    const nodes = opened.at(-1)?.nodes ?? whole;
    // Paragraphs of a tight list are not shown as such.
    if (ended) nodes.push(token.hidden ? ended.nodes : h(token.tag, attributesOf(ended.token), ended.nodes));
    else nodes.push(nodeOf(token));
  }
  return whole;
}

const attributesOf = (token: Token): Record<string, string> =>
  Object.fromEntries((token.attrs ?? []).filter(([name]) => ['href', 'title', 'start'].includes(name)));

function nodeOf(token: Token): ComponentChildren {
  switch (token.type) {
    case 'inline':
      return nodesOf(token.children ?? []);
    case 'code_inline':
      return <code>{token.content}</code>;
    case 'fence':
    case 'code_block':
      return (
        <pre>
          <code>{token.content}</code>
        </pre>
      );
    case 'softbreak':
      return '\n';
    case 'hardbreak':
      return <br />;
    case 'hr':
      return <hr />;
    case 'image':
      return <img src={token.attrGet('src') ?? ''} alt={token.content} />;
    default:
      return token.content;
  }
}
