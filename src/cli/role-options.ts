import type { Command } from 'commander'

/** Adds the options that name the roles of tenants. */
export function withRoles(command: Command): Command {
  return command
    .option(
      '--tenant-role <role>',
      'the role of statements that run for a tenant (default: app_tenant)',
    )
    .option(
      '--all-tenants-role <role>',
      'the role of statements in withoutTenant (default: app_all_tenants)',
    )
    .allowExcessArguments(false)
}
