import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { DataSource, EntitySchema, ObjectLiteral, Repository } from 'typeorm'
import { type AbstractClass, ConfigError, InjectionToken, inject, type Token } from '../../index.js'
import { type Problem, refuseOldPeer } from '../../plugin/index.js'

const named = new Map<string, InjectionToken<DataSource>>()

/**
 * Returns the token for the data source of a {@link typeorm} plugin.
 *
 * @param name The plugin's `name` option. If omitted, the token is TypeORM's class `DataSource`.
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

/** A class with `@Entity()`, or an `EntitySchema`. */
export type EntityLike<T extends ObjectLiteral> = AbstractClass<T> | EntitySchema<T>

type Tokens = Map<string | undefined, InjectionToken<Repository<ObjectLiteral>>>

const tokens = new WeakMap<object, Tokens>()

/**
 * Returns the token for an entity's repository. There is one token for each entity and data source. An `EntitySchema`
 * with a `target` is the same entity as its target class.
 *
 * @param entity A class with `@Entity()`, or an `EntitySchema`.
 * @param name The `name` option of the {@link typeorm} plugin. Default: none.
 * @throws ConfigError if `entity` is neither a class nor a schema; at boot, if no plugin provides the data source, or
 * it does not contain the entity.
 * @example
 * class Users {
 *   private readonly users = inject(repositoryOf(User))
 *
 *   find(id: number) {
 *     return this.users.findOneBy({ id })
 *   }
 * }
 */
export function repositoryOf<T extends ObjectLiteral>(
  entity: EntityLike<T>,
  name?: string,
): InjectionToken<Repository<T>> {
  const target = targetOf(entity)
  const ofEntity: Tokens = tokens.get(target) ?? new Map()
  tokens.set(target, ofEntity)
  let token = ofEntity.get(name)
  if (token === undefined) {
    const subject = name === undefined ? nameOf(entity) : `${nameOf(entity)}, '${name}'`
    const description = `repositoryOf(${subject})`
    const useFactory = () => findRepository(entity, { name, description })
    token = new InjectionToken(description, { useFactory })
    ofEntity.set(name, token)
  }
  // The map's type does not relate an entity to its token, so a cast is needed.
  return token as unknown as InjectionToken<Repository<T>>
}

interface RepositoryParts {
  readonly name: string | undefined
  readonly description: string
}

function findRepository<T extends ObjectLiteral>(
  entity: EntityLike<T>,
  { name, description }: RepositoryParts,
): Repository<ObjectLiteral> {
  const dataSource = inject(dataSourceOf(name), { optional: true })
  if (dataSource === undefined) throw new ConfigError([withoutPlugin(description, name)])
  if (dataSource.hasMetadata(entity)) return dataSource.getRepository(entity)
  throw new ConfigError([unknownEntity(description, entity, dataSource)])
}

function withoutPlugin(subject: string, name: string | undefined): Problem {
  const which = name === undefined ? 'a data source' : `the data source '${name}'`
  const options = name === undefined ? '{ … }' : `{ name: '${name}', … }`
  return {
    code: 'E_PROVIDER_MISSING',
    subject,
    cause: `Nothing provides ${which}.`,
    remedy: `Add typeorm(${options}) to \`plugins\`, or override this token.`,
  }
}

function unknownEntity<T extends ObjectLiteral>(
  subject: string,
  entity: EntityLike<T>,
  { entityMetadatas }: DataSource,
): Problem {
  const known = entityMetadatas.map((metadata) => metadata.name).sort()
  return {
    code: 'E_PROVIDER_MISSING',
    subject,
    cause: `The data source does not contain ${nameOf(entity)}; its entities are: ${known.join(', ') || 'none'}.`,
    remedy: `Add ${nameOf(entity)} to \`entities\` of typeorm({ … }). If it is a class, decorate it with @Entity().`,
  }
}

/** Returns the object that identifies an entity: its class, or else its schema. */
function targetOf<T extends ObjectLiteral>(entity: EntityLike<T>): object {
  if (typeof entity === 'function') return entity
  if (typeof entity === 'object' && entity?.options !== undefined) {
    return entity.options.target ?? entity
  }
  throw new ConfigError([
    {
      code: 'E_OPTION_INVALID',
      subject: 'repositoryOf()',
      cause: `${String(entity)} is not an entity. A circular import is often the reason for an undefined class.`,
      remedy: 'Pass a class with @Entity(), or an EntitySchema.',
    },
  ])
}

function nameOf<T extends ObjectLiteral>(entity: EntityLike<T>): string {
  return typeof entity === 'function' ? entity.name : entity.options.name
}

type TypeOrmPackage = typeof import('typeorm')

let loaded: TypeOrmPackage | undefined

/**
 * Loads the application's own copy of `typeorm`. Its classes are tokens, so they must be the same classes that the
 * application imports. The package is resolved from the working directory first, then from this file. `require` is used
 * instead of `import`, because plugins list their tokens synchronously.
 *
 * @throws ConfigError if it cannot be loaded or is too old.
 */
export function loadTypeOrm(): TypeOrmPackage {
  loaded ??= load()
  return loaded
}

function load(): TypeOrmPackage {
  const application = join(process.cwd(), 'package.json')
  try {
    return loadFrom(application)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    // The package is not installed in the working directory. If the application is linked, the package may be found
    // from this file.
  }
  try {
    return loadFrom(import.meta.url)
  } catch (error) {
    if (error instanceof ConfigError) throw error
    const problem = {
      code: 'E_PEER_MISSING',
      subject: 'blazon/typeorm',
      cause: 'The required package typeorm cannot be loaded.',
      remedy: 'npm install typeorm@1',
    } as const
    throw new ConfigError([problem], { cause: error })
  }
}

function loadFrom(origin: string): TypeOrmPackage {
  refuseOldPeer('typeorm', { subject: 'blazon/typeorm', origin })
  return createRequire(origin)('typeorm')
}
