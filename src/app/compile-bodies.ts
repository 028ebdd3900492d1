import type { BodyModel, UploadModel } from '../contracts/inputs.js'
import type { SchemaConverters } from '../contracts/openapi.js'
import type { OpenApiSchema } from '../contracts/openapi-3-0.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import { ConfigError, type Problem } from '../errors/config-error.js'
import type { FormRules } from '../features/uploads/form-reader.js'
import type { WebhookApp, WebhookCheck } from '../features/webhooks/webhook-check.js'
import { MAX_PARAMETERS } from '../http/request-head.js'
import { bytesOfForm } from '../model/compile-upload.js'
import type { PipelineConfig, RouteParts } from '../pipeline/route-parts.js'
import type { CompiledInput } from '../pipeline/steps/validate.js'
import { isBodyRequired } from '../schema/body-schemas.js'
import { describeOnce } from '../schema/describe-schema.js'
import type { StepFactory } from '../step/step.js'
import { type InputCompiler, invalidSchema } from './compile-inputs.js'

/** The input of {@link compileBodies}. */
export interface BodiesCompiler extends InputCompiler, WebhookApp {
  readonly settingsOf: (route: RouteModel) => PipelineConfig
  /** The compiled schemas of each route, except for the schemas of its `bodies`. */
  readonly inputs: readonly (readonly CompiledInput[])[]
}

/**
 * Creates the steps of routes whose bodies have options. The module for the steps is loaded only if there is such a
 * route.
 *
 * @throws ConfigError with every schema that does not compile, or with every webhook whose secret is missing or
 * invalid.
 */
export async function compileBodies(
  routes: readonly RouteModel[],
  compiler: BodiesCompiler,
): Promise<(route: RouteModel) => RouteParts['bodies']> {
  const described = routes.filter(({ bodies }) => bodies !== null)
  if (described.length === 0) return () => null
  const { bodyStages } = await import('../pipeline/steps/bodies.js')
  const checkOf = await loadChecks(described, compiler)
  const problems: Problem[] = []
  const byRoute = new Map<RouteModel, RouteParts['bodies']>()
  for (const route of described) {
    const bodies = route.bodies as readonly BodyModel[]
    const { bodyLimits: limits, validationStatus } = compiler.settingsOf(route)
    const compiling = bodies.map((body) => compileBody(body, compiler))
    try {
      const validators = await Promise.all(compiling)
      const inputs = compiler.inputs[route.index] ?? []
      const isRequired = bodies[0]?.schema === null && isBodyRequired(route)
      const verify = checkOf(route)
      const config = { bodies, verify, limits, isRequired, inputs, validators, validationStatus }
      byRoute.set(route, bodyStages(config))
    } catch (error) {
      if (error instanceof ConfigError) problems.push(...error.problems)
      else problems.push(invalidSchema(route, 'body', error))
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return (route) => byRoute.get(route) ?? null
}

/**
 * Loads the module that verifies webhooks, but only if a route has a webhook.
 *
 * @throws ConfigError with every webhook whose secret is missing or invalid.
 */
async function loadChecks(
  routes: readonly RouteModel[],
  app: WebhookApp,
): Promise<(route: RouteModel) => WebhookCheck | null> {
  const signed = routes.filter(({ webhook }) => webhook !== null)
  if (signed.length === 0) return () => null
  const { webhookCheck } = await import('../features/webhooks/webhook-check.js')
  const problems: Problem[] = []
  const byRoute = new Map<RouteModel, WebhookCheck>()
  for (const route of signed) {
    try {
      byRoute.set(route, await webhookCheck(route, app))
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error
      problems.push(...error.problems)
    }
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return (route) => byRoute.get(route) ?? null
}

/** Form values are text, like query values, so they are coerced in the same way. */
async function compileBody(
  { type, schema }: BodyModel,
  { compile, declaresOf }: InputCompiler,
): Promise<CompiledInput | null> {
  if (schema === null) return null
  const validate = await compile(schema, type === 'form' ? 'query' : 'body')
  return { source: 'body', validate, declares: declaresOf(schema) }
}

/** The input of {@link compileUploads}. */
interface UploadsCompiler {
  readonly converters: SchemaConverters
  readonly settingsOf: (route: RouteModel) => PipelineConfig
}

/**
 * Creates the steps that read forms with files. Their modules and `@fastify/busboy` are loaded only if a route has such
 * a form.
 *
 * @throws ConfigError if `@fastify/busboy` is missing or too old.
 */
export async function compileUploads(
  routes: readonly RouteModel[],
  { converters, settingsOf }: UploadsCompiler,
): Promise<(route: RouteModel) => StepFactory | null> {
  const [first] = routes.filter(({ upload }) => upload !== null)
  if (first === undefined) return () => null
  const { loadBusboy, uploadStage } = await import('../features/uploads/upload-stage.js')
  const Dicer = await loadBusboy(first.name)
  return (route) => {
    const { upload } = route
    if (upload === null) return null
    const isSingle = (schema: Schema) => isScalar(schema, converters)
    return uploadStage(Dicer, rulesOf(upload, settingsOf(route), isSingle))
  }
}

function rulesOf(
  upload: UploadModel,
  { bodyLimits: { bodyBytes }, validationStatus }: PipelineConfig,
  isSingle: (schema: Schema) => boolean,
): FormRules {
  const { files, fields } = upload
  const maxFiles = Object.values(files).reduce((sum, { max }) => sum + max, 0)
  return {
    files,
    fields: Object.keys(fields),
    areSingle: Object.values(fields).every(isSingle),
    fieldBytes: bodyBytes,
    formBytes: bytesOfForm(upload, bodyBytes),
    // In addition to its files, a form can send an empty part for each file field.
    maxParts: MAX_PARAMETERS + maxFiles + Object.keys(files).length,
    validationStatus,
  }
}

const SCALARS: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

/** Whether a field can be sent only once, because its schema does not accept a list. */
function isScalar(schema: Schema, converters: SchemaConverters): boolean {
  const described = describeOnce(schema, { side: 'input', converters })
  const name = described.schema.$ref?.replace('#/components/schemas/', '')
  const named = described.definitions.find((each) => each.name === name)
  const { type }: OpenApiSchema = named?.schema ?? described.schema
  return SCALARS.includes(type)
}
