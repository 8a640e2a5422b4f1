/** A file to upload: a path (Node), or a `File` or `Blob`. */
export type Upload = string | Blob;

/** A text, a `File` or `Blob` with it, or its pieces, such as those of `createReadStream(path)` in Node. */
export type Text = string | Blob | ReadableStream<Uint8Array> | AsyncIterable<string | Uint8Array>;

export interface UploadProgress {
  /** Bytes sent so far, the form around the files included. */
  loaded: number;
  total: number;
}

// Enough to tell the types of rows apart.
const BEGINNING = 1024;

type ReadFile = (path: string) => Promise<Uint8Array<ArrayBuffer>>;

interface NodeProcess {
  getBuiltinModule?: (name: "node:fs/promises") => { readFile: ReadFile } | undefined;
}

/** The form of a multipart request: texts first, because the service checks them before it takes the pictures. */
export async function multipart(parts: Readonly<Record<string, unknown>>): Promise<FormData> {
  const form = new FormData();
  const texts = Object.entries(parts).filter(([, value]) => !isUploads(value));
  for (const [name, value] of texts) {
    form.append(name, JSON.stringify(value));
  }
  for (const [name, value] of Object.entries(parts)) {
    if (isUploads(value)) {
      for (const upload of typeof value === "string" || value instanceof Blob ? [value] : value) {
        form.append(name, ...(await filePart(upload)));
      }
    }
  }
  return form;
}

/** The body of a request with rows: read whole, so that it can be sent again; its type is the request's. */
export async function rows(text: Text): Promise<Blob> {
  const content = await contentOf(text);
  const isNdjson = /^\s*\{/.test(await content.slice(0, BEGINNING).text());
  return content.slice(0, content.size, isNdjson ? "application/x-ndjson" : "text/csv");
}

async function contentOf(text: Text): Promise<Blob> {
  if (text instanceof Blob) {
    return text;
  }
  if (typeof text === "string") {
    return new Blob([text]);
  }
  if (text instanceof ReadableStream) {
    return new Response(text).blob();
  }
  const pieces: BlobPart[] = [];
  for await (const piece of text) {
    pieces.push(piece as BlobPart);
  }
  return new Blob(pieces);
}

function isUploads(value: unknown): value is Upload | readonly Upload[] {
  return typeof value === "string" || value instanceof Blob || Array.isArray(value);
}

async function filePart(upload: Upload): Promise<[Blob, string]> {
  if (typeof upload !== "string") {
    return [upload, upload instanceof File ? upload.name : "file"];
  }
  // By `process`, not by an import, so that bundlers for browsers need no module of Node.
  const { process } = globalThis as { process?: NodeProcess };
  const files = process?.getBuiltinModule?.("node:fs/promises");
  if (files === undefined) {
    throw new TypeError("Only Node reads files by their path: pass a File or a Blob.");
  }
  return [new Blob([await files.readFile(upload)]), upload.replace(/^.*[/\\]/, "")];
}
