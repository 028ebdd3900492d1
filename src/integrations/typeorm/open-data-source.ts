import type { DataSource, DataSourceOptions } from 'typeorm'
import { loadTypeOrm } from './load-typeorm.js'
import { startFailure } from './start-failure.js'
import type { TypeOrmOptions } from './typeorm-options.js'

/**
 * Creates and initialises a data source for one application. It closes with the application.
 *
 * @throws ConfigError when the data source cannot be created, or its database cannot be reached.
 */
export async function openDataSource({ name, ...options }: TypeOrmOptions): Promise<DataSource> {
  let dataSource: DataSource | undefined
  try {
    dataSource = new (closingDataSource())(options)
    return await dataSource.initialize()
  } catch (error) {
    await disconnect(dataSource)
    throw startFailure(options, error)
  }
}

/** TypeORM's class with `onClose`, which the application calls after its last response. */
function closingDataSource(): new (options: DataSourceOptions) => DataSource {
  return class extends loadTypeOrm().DataSource {
    async onClose(): Promise<void> {
      if (this.isInitialized) await this.destroy()
    }
  }
}

/**
 * Closes the pool of a failed start. TypeORM does so only when the failure came after the connection was
 * made.
 */
async function disconnect(dataSource: DataSource | undefined): Promise<void> {
  try {
    await dataSource?.driver.disconnect()
  } catch {
    // Nothing was open.
  }
}
