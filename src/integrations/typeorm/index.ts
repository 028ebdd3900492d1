/**
 * TypeORM as a plugin: data sources and repositories as tokens.
 *
 * @module blazon/typeorm
 */
export { dataSourceOf } from './data-source-of.js'
export { readPage } from './read-page.js'
export { type EntityLike, repositoryOf } from './repository-of.js'
export { typeorm } from './typeorm.js'
export type { TypeOrmOptions } from './typeorm-options.js'
