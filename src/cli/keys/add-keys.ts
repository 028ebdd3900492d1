import type { ApiKeysTableOptions } from 'blazon/postgres'
import type { Command } from 'commander'
import { type DbContext, withDatabase } from '../db/add-db.js'
import type { CreateKeyOptions, ListKeysOptions, RevokeKeyOptions } from './key-commands.js'

/** Adds the `keys` commands. */
export function addKeys(program: Command, context: DbContext): void {
  const keys = program.command('keys').description('the API keys in the database of an application')
  addCreate(keys, context)
  addList(keys, context)
  addRevoke(keys, context)
  addTable(keys, context)
}

function addCreate(parent: Command, { cwd, streams }: DbContext): void {
  const command = parent
    .command('create')
    .description('create a key; it is printed only once')
    .requiredOption('--prefix <prefix>', 'the prefix of the key, such as acme_live')
    .option('--name <text>', 'a readable name')
    .option(
      '--tenant <id>',
      'the tenant of the key (default: none; the key cannot act for a tenant)',
    )
    .option('--permission <name...>', 'the abilities of the key, for @Can')
    .option('--role <name...>', 'the roles of the key, for @Can')
    .option('--expires <time>', 'when the key expires: 90d, or 2027-01-31 (default: never)')
    .option('--json', 'print JSON')
  withDatabase(command).action(async (options: Omit<CreateKeyOptions, 'cwd'>) => {
    const { createKey } = await import('./key-commands.js')
    await createKey({ ...options, cwd }, streams)
  })
}

function addList(parent: Command, { cwd, streams }: DbContext): void {
  const command = parent
    .command('list')
    .description('list the keys, the newest first, without their secrets')
    .option('--tenant <id>', 'only keys of this tenant')
    .option('--json', 'print JSON')
  withDatabase(command).action(async (options: Omit<ListKeysOptions, 'cwd'>) => {
    const { listKeys } = await import('./key-commands.js')
    await listKeys({ ...options, cwd }, streams)
  })
}

function addRevoke(parent: Command, { cwd, streams }: DbContext): void {
  const command = parent
    .command('revoke')
    .description('revoke a key')
    .argument('<id>', 'the ID of the key, as `keys list` prints it')
    .option('--json', 'print JSON')
  withDatabase(command).action(async (id: string, options: Omit<RevokeKeyOptions, 'cwd'>) => {
    const { revokeKey } = await import('./key-commands.js')
    await revokeKey(id, { ...options, cwd }, streams)
  })
}

function addTable(parent: Command, { streams }: DbContext): void {
  parent
    .command('table')
    .description('print SQL for the table of the keys')
    .option('--login <role>', 'the login of an application without tenants')
    .option('--tenant-role <role>', 'the role of statements that run for a tenant')
    .option('--all-tenants-role <role>', 'the role of statements in withoutTenant')
    .allowExcessArguments(false)
    .action(async (options: ApiKeysTableOptions) => {
      const { printKeysTable } = await import('./key-commands.js')
      await printKeysTable(options, streams)
    })
}
