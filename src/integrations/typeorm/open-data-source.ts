import type { DataSource, DataSourceOptions } from 'typeorm'
import { loadTypeOrm } from './load-typeorm.js'
import { startFailure } from './start-failure.js'
import type { TypeOrmOptions } from './typeorm-options.js'

/**
 * Makes a data source of one application's own, ready to be used; it closes with the application.
 *
 * @throws ConfigError when it cannot be made, or its database not be reached.
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

/** TypeORM's class with the hook that the application calls after its last answer. */
function closingDataSource(): new (options: DataSourceOptions) => DataSource {
  return class extends loadTypeOrm().DataSource {
    async onClose(): Promise<void> {
      if (this.isInitialized) await this.destroy()
    }
  }
}

/** TypeORM closes what fails after the connection stands, and leaves a pool open that failed before. */
async function disconnect(dataSource: DataSource | undefined): Promise<void> {
  try {
    await dataSource?.driver.disconnect()
  } catch {
    // There is nothing to close.
  }
}
