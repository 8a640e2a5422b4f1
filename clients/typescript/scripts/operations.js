// The methods of the client: one for each operation of the document, and one more for each listing that has pages.

const METHODS = ["get", "put", "post", "delete", "patch"];

const FORMS = new Set(["application/json", "multipart/form-data", "application/x-www-form-urlencoded"]);
// A body that is a text of one of several types, which the client tells apart.
const TEXT = { arguments: ["text: Text"], fields: ["text"], files: true };

const OPTIONS = {
  "if-match": "IfMatchOption",
  "if-none-match": "IfNoneMatchOption",
  "idempotency-key": "IdempotencyKeyOption",
};

export function operationsModule(document) {
  const resolve = (value) => ("$ref" in value ? resolve(at(document, value.$ref)) : value);
  const methods = [];
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS.filter((name) => name in item)) {
      const declared = item[method];
      if (isStream(declared)) {
        // They are written by hand, in src/client.ts.
        continue;
      }
      const operation = describe({ path, method, item, operation: item[method], document, resolve });
      methods.push(methodText(operation));
      if (operation.pages) {
        methods.push(pagesText(operation));
      }
    }
  }
  const options = [
    ...new Set(methods.join("").match(/\b(?:Call|IfMatch|IfNoneMatch|IdempotencyKey|Progress|Validate)Options?\b/g)),
  ].sort();
  return `// Made by scripts/generate.js from openapi.json.
import { segment, type Call, ${options.map((name) => `type ${name}`).join(", ")} } from "../call.js";
import { Pages } from "../pages.js";
import type { Text, Upload } from "../transport/uploads.js";
import type * as T from "./types.gen.js";

export abstract class Operations {
  protected abstract call<Result>(call: Call): Promise<Result>;

${methods.join("\n")}}
`;
}

function isStream({ responses }) {
  return "text/event-stream" in (responses[200]?.content ?? {});
}

/** What the text of a method is made of. */
function describe({ path, method, item, operation, document, resolve }) {
  const type = operation.operationId[0].toUpperCase() + operation.operationId.slice(1);
  const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
  const within = (place) => parameters.filter((parameter) => parameter.in === place);
  const body = operation.requestBody && resolve(operation.requestBody);
  const query = within("query").map(({ name }) => name);
  const isText = body !== undefined && !Object.keys(body.content).some((media) => FORMS.has(media));
  if (body !== undefined && !isText && query.some((name) => name !== "validate")) {
    throw new Error(`${operation.operationId} has a body and a query.`);
  }
  const headers = within("header").map(({ name }) => name.toLowerCase());
  const security = operation.security ?? document.security ?? [];
  return {
    id: operation.operationId,
    type,
    path,
    method: method.toUpperCase(),
    operation,
    segments: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    isText,
    body: body && (isText ? TEXT : bodyOf(body, type, resolve)),
    query,
    queryRequired: within("query").some(({ required }) => required),
    headers: headers.filter((name) => name in OPTIONS),
    auth: security.length > 0,
    ...answerOf(operation, type, resolve),
    pages: query.includes("cursor"),
  };
}

/** How a body is passed: `arguments` of the method, and `fields` of the call. */
function bodyOf(body, type, resolve) {
  const [media, { schema }] = Object.entries(body.content)[0];
  const mark = body.required ? "" : "?";
  const typed = `T.${type}Data["body"]`;
  if (media === "multipart/form-data") {
    // Where a body may also be JSON, the operation's own type is that of the JSON.
    const form = schema.$ref ? `T.${schema.$ref.split("/").at(-1)}` : `T.${type}Data["body"]`;
    const parts = Object.entries(resolve(schema).properties).map(([name, part]) => partOf(name, resolve(part), form));
    return {
      arguments: parts.map(({ argument }) => argument),
      fields: [`parts: { ${parts.map(({ field }) => field)} }`],
      files: true,
    };
  }
  const kind = media === "application/x-www-form-urlencoded" ? "form" : "json";
  return { arguments: [`body${mark}: ${typed}`], fields: [`${kind}: body`], files: false };
}

function partOf(name, schema, form) {
  const isFile = ({ format, contentMediaType }) =>
    format === "binary" || contentMediaType === "application/octet-stream";
  if (schema.type === "array" && isFile(schema.items)) {
    return { argument: "files: Upload | readonly Upload[]", field: `${name}: files` };
  }
  if (isFile(schema)) {
    return { argument: "file: Upload", field: `${name}: file` };
  }
  return { argument: `${name}: ${form}["${name}"]`, field: name };
}

/** What comes back: its type, and how it is read. */
function answerOf(operation, type, resolve) {
  const successes = Object.entries(operation.responses)
    .map(([status, response]) => [status, resolve(response)])
    .filter(([status, { content }]) => status.startsWith("2") && content !== undefined);
  if (successes.length === 0) {
    return { result: "void" };
  }
  const media = Object.keys(successes[0][1].content)[0];
  return /[/+]json$/.test(media)
    ? { answer: "json", result: successes.map(([status]) => `T.${type}Responses[${status}]`).join(" | ") }
    : { answer: "blob", result: "Blob" };
}

function methodText(operation) {
  const { id, type, path, method, segments, body, isText, query, headers, auth, answer, result } = operation;
  const queryAsArgument = query.length > 0 && (body === undefined || isText);
  const parameters = [
    ...segments.map((name) => `${name}: T.${type}Data["path"]["${name}"]`),
    ...(body?.arguments ?? []),
    ...(queryAsArgument ? [queryArgument(operation)] : []),
  ];
  const fields = [
    `method: "${method}"`,
    `path: ${segments.length > 0 ? `\`${path.replace(/\{(\w+)\}/g, "${segment($1)}")}\`` : `"${path}"`}`,
    ...(auth ? ["auth: true"] : []),
    ...(headers.includes("idempotency-key") ? ["keyed: true"] : []),
    ...(answer === undefined ? [] : [`answer: "${answer}"`]),
    ...(queryAsArgument ? ["query"] : []),
    ...(body?.fields ?? []),
    "options",
  ];
  const head = (options, returned) => `${id}(${[...parameters, options].join(", ")}): Promise<${returned}>`;
  const options = optionsType(operation);
  const heads = query.includes("validate")
    ? [
        `${head(`options: ${options} & ValidateOption`, "void")};`,
        `${head(`options?: ${options}`, result)};`,
        head(`options: ${options} & Partial<ValidateOption> = {}`, `${result} | void`),
      ]
    : [head(`options: ${options} = {}`, result)];
  return `${comment(operation)}
  ${heads.join("\n")} {
    return this.call({ ${fields.join(", ")} });
  }
`;
}

function pagesText(operation) {
  const { id, type, segments, result } = operation;
  const name = id.replace(/^list([A-Z])/, (_, letter) => letter.toLowerCase());
  if (name === id) {
    throw new Error(`${id} has pages, and no name to iterate over them by.`);
  }
  const parameters = [
    ...segments.map((segment) => `${segment}: T.${type}Data["path"]["${segment}"]`),
    `query: Omit<NonNullable<T.${type}Data["query"]>, "cursor"> = {}`,
    `options: ${optionsType({ ...operation, headers: operation.headers.filter((name) => name !== "if-none-match") })} = {}`,
  ];
  const passed = [...segments, "{ ...query, ...(cursor === undefined ? {} : { cursor }) }", "options"];
  return `/** All that \`${id}\` finds, page by page: \`limit\` is how much is on a page. */
  ${name}(${parameters.join(", ")}): Pages<${result}["results"][number], ${result}> {
    return new Pages((cursor) => this.${id}(${passed.join(", ")}));
  }
`;
}

function queryArgument({ type, queryRequired }) {
  return queryRequired ? `query: T.${type}Data["query"]` : `query: NonNullable<T.${type}Data["query"]> = {}`;
}

function optionsType({ headers, body }) {
  const more = [...headers.map((name) => OPTIONS[name]), ...(body?.files ? ["ProgressOption"] : [])];
  return ["CallOptions", ...more].join(" & ");
}

function comment({ operation, method, path }) {
  const lines = [operation.summary, operation.description, `\`${method} ${path}\``]
    .filter(Boolean)
    .join("\n\n")
    .split("\n");
  const deprecated = operation.deprecated ? ["", "@deprecated"] : [];
  return `/**\n${[...lines, ...deprecated].map((line) => `   * ${line}`.trimEnd()).join("\n")}\n   */`;
}

function at(document, reference) {
  return reference
    .replace(/^#\//, "")
    .split("/")
    .reduce((value, key) => value[key.replace(/~1/g, "/").replace(/~0/g, "~")], document);
}
