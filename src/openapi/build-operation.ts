import type {
  OpenApiOperation,
  OpenApiParameter,
  OperationContributor,
} from '../contracts/openapi.js'
import type { Problem } from '../errors/config-error.js'
import { handlerName, pascalCase, titleCase } from './naming.js'
import type { DocumentedOperation } from './operations.js'
import { buildParameters } from './parameters.js'
import { pathTemplate } from './path-templates.js'
import { bodySchemaOf, buildRequestBody } from './request-body.js'
import { buildResponses } from './responses.js'
import type { SchemaUse, SettledSchemas } from './schema-registry.js'

/** What all operations of a document share. */
export interface OperationContext {
  readonly schemas: SettledSchemas
  /** What features add to operations, in order. */
  readonly contributors: readonly OperationContributor[]
  /** Whether the query parser makes objects of `a[b]=1`. */
  readonly parsesNestedQuery: boolean
  /** Whether there is a guard, and thus a security scheme. */
  readonly hasGuard: boolean
}

/** An operation, and what is suspicious about it. */
export interface BuiltOperation {
  readonly operation: OpenApiOperation
  readonly problems: readonly Problem[]
}

/** Every schema of an operation that ends up in the document. */
export function schemaUses({ route, operationId }: DocumentedOperation): SchemaUse[] {
  const name = pascalCase(operationId)
  const { params, query, headers } = route.inputs
  const inputs = [
    { schema: bodySchemaOf(route), part: 'Body' },
    { schema: params, part: 'Params' },
    { schema: query, part: 'Query' },
    { schema: headers, part: 'Headers' },
  ]
  const uses = inputs.flatMap(({ schema, part }): SchemaUse[] =>
    schema === null
      ? []
      : [{ schema, side: 'input', name: name + part, subject: `${route.name} @${part}` }],
  )
  for (const { status, schema } of route.operation.responses) {
    if (schema === undefined) continue
    const subject = `${route.name} @ApiResponseDoc(${status})`
    uses.push({ schema, side: 'output', name: `${name}Response${status}`, subject })
  }
  return uses
}

/**
 * Describes one operation (specification section 4.3).
 *
 * @param path The path that stands for the route's in the document.
 */
export function buildOperation(
  documented: DocumentedOperation,
  path: string,
  context: OperationContext,
): BuiltOperation {
  const { route, operationId } = documented
  // A name without letters or digits, `$` say, has no title.
  const inferred =
    titleCase(handlerName(route)) || `${documented.method.toUpperCase()} ${pathTemplate(path)}`
  const { summary = inferred, ...stated } = route.operation.operation
  const additions = context.contributors.flatMap((contribute) => contribute(route) ?? [])
  const errors = additions.flatMap(({ errors = [] }) => errors)
  const own = buildParameters(route, { ...context, path })
  const added = additions.flatMap(({ parameters = [] }) => parameters)
  const parameters = own.parameters.concat(added.filter(isNew(own.parameters)))
  const requestBody = buildRequestBody(route, context.schemas)
  const operation = {
    tags: route.operation.tags,
    summary,
    description: stated.description ?? summary,
    operationId,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== null && { requestBody }),
    responses: buildResponses(documented, errors, context.schemas),
    ...(stated.deprecated === true && { deprecated: true }),
    ...(route.isProtected && context.hasGuard && { security: [{ BearerAuth: [] }] }),
  }
  return { operation, problems: own.problems }
}

/** The author's word on a parameter wins over a feature's. Names of headers have no case. */
function isNew(stated: readonly OpenApiParameter[]): (added: OpenApiParameter) => boolean {
  const keyOf = ({ name, in: place }: OpenApiParameter) =>
    `${place} ${place === 'header' ? name.toLowerCase() : name}`
  const keys = new Set(stated.map(keyOf))
  return (added) => !keys.has(keyOf(added))
}
