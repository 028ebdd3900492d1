import type { SchemaConverters } from '../contracts/openapi.js'
import type { OpenApiSchema } from '../contracts/openapi-3-0.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { Schema } from '../contracts/schema.js'
import type { UploadModel } from '../contracts/upload.js'
import type { FormRules } from '../features/uploads/form-reader.js'
import { MAX_PARAMETERS } from '../http/count-parameters.js'
import { bytesOfForm } from '../model/compile-upload.js'
import type { PipelineConfig } from '../pipeline/route-parts.js'
import { describeOnce } from '../schema/describe-schema.js'
import type { StepFactory } from '../step/step.js'

/** The input of {@link compileUploads}. */
interface UploadsCompiler {
  readonly converters: SchemaConverters
  readonly settingsOf: (route: RouteModel) => PipelineConfig
}

/**
 * Makes the steps that read forms with files. Their modules and `@fastify/busboy` are loaded only if a route has one.
 *
 * @throws ConfigError if `@fastify/busboy` is missing or too old.
 */
export async function compileUploads(
  routes: readonly RouteModel[],
  { converters, settingsOf }: UploadsCompiler,
): Promise<(route: RouteModel) => StepFactory | null> {
  const [first] = routes.filter(({ upload }) => upload !== null)
  if (first === undefined) return () => null
  const { loadBusboy, uploadStage } = await import('../features/uploads/uploads.js')
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
  { bodyLimits, validationStatus }: PipelineConfig,
  isSingle: (schema: Schema) => boolean,
): FormRules {
  const { files, fields } = upload
  const maxFiles = Object.values(files).reduce((sum, { max }) => sum + max, 0)
  return {
    files,
    fields: Object.keys(fields),
    areSingle: Object.values(fields).every(isSingle),
    fieldBytes: bodyLimits.size,
    formBytes: bytesOfForm(upload, bodyLimits.size),
    // A form may send an empty file for each kind of file.
    maxParts: MAX_PARAMETERS + maxFiles + Object.keys(files).length,
    validationStatus,
  }
}

const SCALARS: readonly unknown[] = ['string', 'number', 'integer', 'boolean']

/** Whether a field can only be sent once: its schema accepts no list. */
function isScalar(schema: Schema, converters: SchemaConverters): boolean {
  const described = describeOnce(schema, { side: 'input', converters })
  const name = described.schema.$ref?.replace('#/components/schemas/', '')
  const named = described.definitions.find((each) => each.name === name)
  const { type }: OpenApiSchema = named?.schema ?? described.schema
  return SCALARS.includes(type)
}
