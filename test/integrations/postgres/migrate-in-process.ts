import { type MigrateOptions, migrate, type PostgresOptions } from 'blazon/postgres'

// A process that migrates, and prints the names of the migrations that it has run.
const [database = '{}', options = '{}'] = process.argv.slice(2)
const applied = await migrate(JSON.parse(database) as PostgresOptions, {
  ...(JSON.parse(options) as MigrateOptions),
  onWait: () => console.log('waits'),
})
console.log(JSON.stringify(applied.map(({ name }) => name)))
