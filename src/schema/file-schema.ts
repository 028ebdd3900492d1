import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { FileOptions, FileOutput, UploadedFile } from '../contracts/inputs.js'

/** The files from uploaded forms. Clients cannot send these values in any other way. */
const uploaded = new WeakSet<object>()

/** Registers a value as a file that file schemas accept. */
export function acceptAsFile(file: UploadedFile): void {
  uploaded.add(file)
}

/**
 * The schema of a file in a form. For code outside the framework, it is a Standard Schema that accepts only files from
 * forms.
 */
export class FileSchema<TOutput = unknown> implements StandardSchemaV1<unknown, TOutput> {
  /** The original options. */
  readonly options: FileOptions
  readonly '~standard': StandardSchemaV1.Props<unknown, TOutput>

  constructor(options: FileOptions) {
    this.options = options
    const { max = 1, optional = false } = Object(options) as FileOptions
    const describe = () => describeFile(max, optional)
    const props = {
      version: 1 as const,
      vendor: 'blazon',
      validate: (value: unknown) => check(value, max, optional) as StandardSchemaV1.Result<TOutput>,
      jsonSchema: { input: describe, output: describe },
    }
    this['~standard'] = Object.freeze(props)
    Object.freeze(this)
  }
}

/**
 * Describes a file in a form, for {@link Upload}. Missing or additional files result in a 400 response, a file that is
 * too large in a 413 response, and a file of another type in a 415 response.
 *
 * @param options `maxSize` (default `'1mb'`), `types`, `max` (default 1) and `optional`, see {@link FileOptions}. An
 * invalid option causes an error at boot.
 * @example
 * const Profile = {
 *   name: z.string().min(1),
 *   avatar: file({ maxSize: '5mb', types: ['image/png', 'image/jpeg'] }),
 *   documents: file({ types: ['application/pdf'], max: 3, optional: true }),
 * }
 */
export function file<const TMax extends number = 1, const TOptional extends boolean = false>(
  options: FileOptions<TMax, TOptional> = {},
): FileSchema<FileOutput<TMax, TOptional>> {
  return new FileSchema(options)
}

const BINARY = { type: 'string', format: 'binary' }

function describeFile(max: number, optional: boolean): Record<string, unknown> {
  if (max === 1) return { ...BINARY }
  const least = optional ? {} : { minItems: 1 }
  return { type: 'array', items: { ...BINARY }, ...least, maxItems: max }
}

function check(value: unknown, max: number, optional: boolean): StandardSchemaV1.Result<unknown> {
  const isMissing = value === undefined || (Array.isArray(value) && value.length === 0)
  if (isMissing) {
    if (!optional) return { issues: [{ message: 'is required' }] }
    return { value: max === 1 ? undefined : [] }
  }
  const files = Array.isArray(value) === max > 1 ? [value].flat() : [null]
  if (!files.every(isUploaded)) return { issues: [{ message: 'must be a file' }] }
  if (files.length > max) return { issues: [{ message: `must be at most ${max} files` }] }
  return { value }
}

function isUploaded(value: unknown): value is UploadedFile {
  return typeof value === 'object' && value !== null && uploaded.has(value)
}
