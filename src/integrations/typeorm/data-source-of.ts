import type { DataSource } from 'typeorm'
import { InjectionToken, type Token } from '../../index.js'
import { loadTypeOrm } from './load-typeorm.js'

const named = new Map<string, InjectionToken<DataSource>>()

/**
 * The token of the data source of a {@link typeorm} plugin.
 *
 * @param name The option `name` of the plugin. Default: none, and the token is TypeORM's class `DataSource`.
 * @example
 * class Reports {
 *   private readonly reports = inject(dataSourceOf('reports'))
 * }
 */
export function dataSourceOf(name?: string): Token<DataSource> {
  if (name === undefined) return loadTypeOrm().DataSource
  let token = named.get(name)
  if (token === undefined) {
    token = new InjectionToken(`DataSource '${name}'`)
    named.set(name, token)
  }
  return token
}
