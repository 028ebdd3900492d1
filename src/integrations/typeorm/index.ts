/**
 * TypeORM as a plugin: tokens for data sources and repositories.
 *
 * @module blazon/typeorm
 */

export { readPage } from './read-page.js'
export { dataSourceOf, type EntityLike, repositoryOf } from './tokens.js'
export { typeorm } from './typeorm.js'
export type { TypeOrmOptions } from './typeorm-options.js'
