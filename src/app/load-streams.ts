import type { Clock } from '../contracts/clock.js'
import type { RouteModel } from '../contracts/route-model.js'
import type { PipelineConfig } from '../pipeline/route-parts.js'
import type { PrepareItem } from '../pipeline/streams/frames.js'
import type { ErrorPaths } from './error-paths.js'
import type { Settings } from './settings/settings.js'
import type { RunningFeatures } from './start-features.js'

/** The parts of an application that streams use. */
export interface StreamParts {
  readonly settings: Pick<Settings, 'responses' | 'converters'>
  readonly clock: Clock
  readonly errors: Pick<ErrorPaths, 'onError' | 'onStreamError' | 'log'>
  readonly features: Pick<RunningFeatures, 'scopes'>
}

/** Loads the modules that send streams, but only if a route streams. */
export async function loadStreams(
  routes: readonly RouteModel[],
  { settings, clock, errors, features }: StreamParts,
): Promise<PipelineConfig['streamOf']> {
  if (routes.every(({ stream }) => stream === null)) return null
  const { streamCompiler } = await import('../pipeline/streams/compile-stream.js')
  const compile = streamCompiler({ ...errors, clock, scopes: features.scopes })
  const prepareOf = await loadItems(routes, settings)
  const compiled = new Map(
    routes.flatMap((route) => {
      const { stream, name } = route
      return stream === null ? [] : [[route, compile({ name, stream }, prepareOf(route))] as const]
    }),
  )
  return (route) => compiled.get(route) ?? null
}

/** The function that limits or checks the fields of items (`responses`, `@ResponseFields`); `null` without one. */
async function loadItems(
  routes: readonly RouteModel[],
  { responses, converters }: StreamParts['settings'],
): Promise<(route: RouteModel) => PrepareItem> {
  const modeOf = ({ responseFields }: RouteModel) => responseFields ?? responses.fields
  if (routes.every((route) => route.stream === null || modeOf(route) === 'send')) return () => null
  const { compileItemFields } = await import('../schema/fields/item-fields.js')
  return (route) => {
    const mode = modeOf(route)
    if (route.stream === null || mode === 'send') return null
    return compileItemFields(route.stream.item, mode, converters)
  }
}
