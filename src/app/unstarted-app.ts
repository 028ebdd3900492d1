import type { PluginContext } from '../contracts/plugin.js'
import type { RouteTableEntry } from '../contracts/route-model.js'
import type { DeclaredApp } from './declared-app.js'

/** An application that has not started. Every member throws a `ConfigError` as `init` does. */
export interface UnstartedApp {
  readonly app: { getRouteTable(): RouteTableEntry[] }
  /** The part of it that plugins receive. */
  readonly context: Pick<PluginContext, 'get'>
  readonly declared: DeclaredApp
}
