import type { AppModel, RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { Problem } from '../errors/config-error.js'
import { writtenAs } from '../model/written-as.js'
import { schemasOfBody } from '../schema/body-schemas.js'
import { defaultedFields } from '../schema/defaulted-fields.js'
import { isStandard } from '../schema/validate-now.js'

/**
 * Warns of fields that a `PATCH` sets although its client leaves them out: `z.object(…).partial()` keeps the defaults of its
 * fields, so an empty body becomes `{ email: null }`.
 */
export function checkPatch({ routes }: AppModel): readonly Problem[] {
  return routes
    .filter(({ method }) => method === 'PATCH')
    .flatMap((route) => schemasOfBody(route).flatMap((schema) => problemsOf(route, schema)))
}

function problemsOf(route: RouteModel, schema: Schema): Problem[] {
  const names = defaultedFields(schema)
  if (names.length === 0) return []
  const fields = names.map((name) => `'${name}'`).join(', ')
  return [
    {
      code: 'W_PATCH_DEFAULTS',
      subject: `${route.name} ${writtenAs(route, 'body')}`,
      cause: `A PATCH that leaves out ${fields} overwrites the stored value with a default of the schema.`,
      remedy: `Give PATCH a schema without defaults, and add them to that of POST: ${example(schema, names[0] as string)}`,
    },
  ]
}

function example(schema: Schema, name: string): string {
  const vendor = isStandard(schema) ? schema['~standard'].vendor : ''
  return vendor === 'zod'
    ? `\`const Patch = Fields.partial()\`, \`const Create = Fields.extend({ ${name}: Fields.shape.${name}.default(…) })\`.`
    : 'both can be made of the same fields.'
}
