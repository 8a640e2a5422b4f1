interface PageOf<Item> {
  results: readonly Item[];
  next: string | null;
}

/** A listing from its first page to its last: iterates over the records, or with `pages()` over the pages. */
export class Pages<Item, Page extends PageOf<Item> = PageOf<Item>> implements AsyncIterable<Item> {
  readonly #fetch: (cursor?: string) => Promise<Page>;

  constructor(fetch: (cursor?: string) => Promise<Page>) {
    this.#fetch = fetch;
  }

  /** Each page is requested when the one before has been used. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    let page = await this.#fetch();
    yield page;
    while (page.next !== null) {
      page = await this.#fetch(page.next);
      yield page;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void, undefined> {
    for await (const page of this.pages()) {
      yield* page.results;
    }
  }
}
