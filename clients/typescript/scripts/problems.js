// The classes of errors: one for each status, below them one for each type of problem.

// RFC 9110 and its extensions; the names of statuses, which do not change when a type is added.
const STATUSES = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "RequestTimeout",
  409: "Conflict",
  410: "Gone",
  412: "PreconditionFailed",
  413: "ContentTooLarge",
  415: "UnsupportedMediaType",
  416: "RangeNotSatisfiable",
  422: "UnprocessableContent",
  428: "PreconditionRequired",
  429: "TooManyRequests",
  431: "RequestHeaderFieldsTooLarge",
  500: "InternalServer",
  503: "ServiceUnavailable",
};

/** The modules by their names. `table` has what each `type` of a problem means: `status`, `title`, `explanation`. */
export function problemModules(table) {
  const problems = Object.entries(table).map(([type, about]) => ({ type, slug: type.replace(/^.*#/, ""), ...about }));
  const classes = new Map();
  const byStatus = new Map();
  const byType = new Map();
  for (const { status } of problems) {
    const name = `${known(status)}Error`;
    byStatus.set(status, name);
    classes.set(name, { parent: "ProblemError", doc: `Status ${status}.` });
  }
  for (const { type, status, slug, title, explanation } of problems) {
    const name = `${pascal(slug)}Error`;
    const parent = byStatus.get(status);
    const doc = `${title}. ${explanation}`;
    if (classes.has(name) && name !== parent) {
      throw new Error(`Two classes would be named ${name}.`);
    }
    if (name !== parent) {
      classes.set(name, { parent, doc });
    }
    byType.set(type, name);
  }
  return {
    "problems.gen.ts": classesModule(problems, classes),
    "problem-classes.gen.ts": tablesModule(byType, byStatus),
  };
}

function classesModule(problems, classes) {
  const texts = [...classes].map(([name, { parent, doc }]) => classText(name, parent, doc));
  return `// Made by scripts/generate.js from the table of problem types.
import { ProblemError } from "../errors.js";

${texts.join("\n")}
/** \`type\` of a \`ProblemError\`. */
export type ProblemType = ${problems.map(({ type }) => `"${type}"`).join(" | ")};
`;
}

function tablesModule(byType, byStatus) {
  const rows = (entries) => [...entries].map(([key, name]) => `${JSON.stringify(key)}: problems.${name},`).join("\n");
  return `// Made by scripts/generate.js from the table of problem types.
import type { ProblemError } from "../errors.js";
import * as problems from "./problems.gen.js";

export const CLASSES_BY_TYPE: Readonly<Record<string, typeof ProblemError>> = {
${rows(byType)}
};

export const CLASSES_BY_STATUS: Readonly<Record<number, typeof ProblemError>> = {
${rows(byStatus)}
};
`;
}

function classText(name, parent, doc) {
  return `/** ${doc} */
export class ${name} extends ${parent} {
  override readonly name: string = "${name}";
}
`;
}

function known(status) {
  if (STATUSES[status] === undefined) {
    throw new Error(`Status ${status} needs a name.`);
  }
  return STATUSES[status];
}

function pascal(slug) {
  return slug.replace(/(?:^|-)([a-z0-9])/g, (_, letter) => letter.toUpperCase());
}
