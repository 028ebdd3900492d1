import type {
  OpenApiOperation,
  OpenApiParameter,
  OperationAddition,
  OperationContributor,
} from '../contracts/openapi.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { DocumentSchemas } from './document-schemas.js'
import { handlerName, pascalCase, titleCase } from './naming.js'
import type { DocumentedOperation } from './operations.js'
import { ownCopy } from './own-copy.js'
import { buildParameters } from './parameters.js'
import { pathTemplate } from './path-templates.js'
import { bodySchemaOf, buildRequestBody } from './request-body.js'
import { buildResponses } from './responses.js'
import type { SchemaRegistry } from './schema-registry.js'

/** Values that all operations of a document share. */
export interface OperationContext {
  readonly schemas: DocumentSchemas
  /** Functions of features that add errors and parameters to operations, called in order. */
  readonly contributors: readonly OperationContributor[]
  /** Whether the application has a guard. Only then the document has a security scheme. */
  readonly hasGuard: boolean
}

/** Adds to the registry every schema of an operation that the document will contain. */
export function addSchemas(
  { route, operationId }: DocumentedOperation,
  registry: SchemaRegistry,
): void {
  const { params, query, headers } = route.inputs
  const addInput = (schema: Schema | null, part: string): void => {
    if (schema === null) return
    const name = () => pascalCase(operationId) + part
    registry.add({ schema, side: 'input', name, subject: `${route.name} @${part}` })
  }
  addInput(bodySchemaOf(route), 'Body')
  addInput(params, 'Params')
  addInput(query, 'Query')
  addInput(headers, 'Headers')
  for (const { definition, input } of route.definedParameters ?? []) {
    addInput(input, pascalCase(definition.place?.name ?? ''))
  }
  for (const { status, schema } of route.operation.responses) {
    if (schema === undefined) continue
    const name = () => `${pascalCase(operationId)}Response${status}`
    const subject = `${route.name} @ApiResponseDoc(${status})`
    registry.add({ schema, side: 'output', name, subject })
  }
}

/**
 * Describes one operation. The objects it returns belong to one document only.
 *
 * @param path The path that the document uses for the path of the route.
 */
export function buildOperation(
  documented: DocumentedOperation,
  path: string,
  context: OperationContext,
): OpenApiOperation {
  const { route, operationId } = documented
  // A name without letters or digits, such as `$`, has no title.
  const inferred =
    titleCase(handlerName(route)) || `${documented.method.toUpperCase()} ${pathTemplate(path)}`
  const { summary = inferred, ...stated } = route.operation.operation
  const { errors, parameters: added } = additionsTo(route, context)
  const own = buildParameters(route, path, context.schemas)
  const parameters = added.length === 0 ? own : own.concat(added.filter(isNew(own)))
  const requestBody = buildRequestBody(route, context.schemas)
  return {
    tags: [...route.operation.tags],
    summary,
    description: stated.description ?? summary,
    operationId,
    ...(parameters.length > 0 && { parameters }),
    ...(requestBody !== null && { requestBody }),
    responses: buildResponses(documented, errors, context.schemas),
    ...(stated.deprecated === true && { deprecated: true }),
    ...(context.hasGuard && securityOf(route)),
  }
}

/** An empty requirement stands for requests without credentials (OpenAPI 3.0.3, 4.7.10). */
function securityOf({
  isProtected,
  isAuthOptional,
}: RouteModel): Pick<OpenApiOperation, 'security'> | null {
  if (isProtected) return { security: [{ BearerAuth: [] }] }
  return isAuthOptional ? { security: [{ BearerAuth: [] }, {}] } : null
}

/** The errors and parameters that features add to an operation. */
function additionsTo(
  route: RouteModel,
  { contributors }: OperationContext,
): Required<OperationAddition> {
  const errors: number[] = []
  const parameters: OpenApiParameter[] = []
  for (const contribute of contributors) {
    const addition = contribute(route)
    if (addition?.errors !== undefined) errors.push(...addition.errors)
    if (addition?.parameters !== undefined) parameters.push(...ownCopy(addition.parameters))
  }
  return { errors, parameters }
}

/**
 * When the author and a feature describe the same parameter, the author's description is used. Header names
 * are compared without case.
 */
function isNew(stated: readonly OpenApiParameter[]): (added: OpenApiParameter) => boolean {
  const keyOf = ({ name, in: place }: OpenApiParameter) =>
    `${place} ${place === 'header' ? name.toLowerCase() : name}`
  const keys = new Set(stated.map(keyOf))
  return (added) => !keys.has(keyOf(added))
}
