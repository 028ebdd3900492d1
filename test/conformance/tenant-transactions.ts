import { runWithTenant } from 'blazon'
import { Database, isUniqueViolation, TenantSwitchError } from 'blazon/postgres'
import type { TestApp } from 'blazon/testing'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { TenantDatabase } from './tenant-database.js'

/** Which statements are saved together, which are rolled back, and for which tenant they run. */
export function describeTransactions(databaseOf: () => TenantDatabase): void {
  describe('a transaction', () => {
    let database: TenantDatabase
    let app: TestApp
    let db: Database
    beforeAll(async () => {
      database = databaseOf()
      app = await database.start({ tenant: {} }, { connections: 2 })
      db = app.get(Database)
    })
    afterAll(() => app.close())
    beforeEach(() => database.asOwner('truncate orders, items'))

    const asA = <T>(fn: () => Promise<T>) => runWithTenant('a', fn)
    const add = (note: string) => db.query('insert into orders (note) values ($1)', [note])
    const transact = <T>(fn: () => Promise<T>) => asA(() => db.transaction(fn))
    const saved = async () => {
      const rows = await database.look<{ note: string }>('select note from orders order by id')
      return rows.map(({ note }) => note)
    }
    const boom = () => {
      throw new Error('Boom')
    }

    it('commits all statements and returns the result of its function', async () => {
      const answer = await transact(async () => {
        await add('1')
        await Promise.all([add('2'), add('3')])
        return 'done'
      })
      expect(answer).toBe('done')
      expect(await saved()).toEqual(['1', '2', '3'])
    })

    it('rolls back and throws the same error when its function throws', async () => {
      const error = new Error('Mine')
      const whole = transact(async () => {
        await add('1')
        throw error
      })
      await expect(whole).rejects.toBe(error)
      expect(await saved()).toEqual([])
    })

    it('sees its own changes, which other transactions see only after the commit', async () => {
      await transact(async () => {
        await add('1')
        const { rows } = await db.query('select note from orders')
        expect(rows).toEqual([{ note: '1' }])
        // An embedded database has one connection, so another query would wait.
        if (!database.isEmbedded) expect(await saved()).toEqual([])
      })
      expect(await saved()).toEqual(['1'])
    })

    it('rolls back only the nested transaction that failed', async () => {
      await transact(async () => {
        await add('outer')
        await expect(
          db.transaction(async () => {
            await add('inner')
            boom()
          }),
        ).rejects.toThrow('Boom')
        await add('after')
      })
      expect(await saved()).toEqual(['outer', 'after'])
    })

    it('continues after a nested transaction whose statement was refused', async () => {
      await transact(async () => {
        await db.query("insert into orders (note, code) values ('first', 'K')")
        const again = db.transaction(() =>
          db.query("insert into orders (note, code) values ('again', 'K')"),
        )
        await expect(again).rejects.toSatisfy((error) =>
          isUniqueViolation(error, 'orders_code_key'),
        )
        await add('after')
      })
      expect(await saved()).toEqual(['first', 'after'])
    })

    it('rolls back nested transactions together with the outer one', async () => {
      await transact(async () => {
        await add('1')
        await db
          .transaction(async () => {
            await add('2')
            await db.transaction(() => add('3'))
            await db.transaction(() => add('4').then(boom)).catch(() => {})
            boom()
          })
          .catch(() => {})
        await db.transaction(async () => {
          await add('5')
          await db.transaction(() => add('6').then(boom)).catch(() => {})
          await db.transaction(() => add('7'))
        })
      })
      expect(await saved()).toEqual(['1', '5', '7'])
    })

    it('commits or rolls back each concurrent nested transaction separately', async () => {
      await transact(async () => {
        const part = (name: string, fails: boolean) =>
          db.transaction(async () => {
            await add(`${name}1`)
            await new Promise((resolve) => setImmediate(resolve))
            await add(`${name}2`)
            if (fails) boom()
          })
        // The first one fails. A statement that ran in it by mistake would be lost.
        const parts = [part('b', true), part('a', false), part('d', true), part('c', false)]
        const own = [add('x'), add('y')]
        const outcomes = await Promise.allSettled([...parts, ...own])
        expect(outcomes.map(({ status }) => status)).toEqual([
          'rejected',
          'fulfilled',
          'rejected',
          'fulfilled',
          'fulfilled',
          'fulfilled',
        ])
      })
      expect((await saved()).toSorted()).toEqual(['a1', 'a2', 'c1', 'c2', 'x', 'y'])
    })

    it('waits for a nested transaction that its function does not await, and commits it', async () => {
      await transact(async () => {
        await add('1')
        void db.transaction(() => add('2').then(() => add('3')))
      })
      expect(await saved()).toEqual(['1', '2', '3'])
    })

    it('fails if a statement was refused, even if its error was caught', async () => {
      const whole = transact(async () => {
        await add('1')
        await db.query('select 1 / 0').catch(() => {})
        return 'saved'
      })
      await expect(whole).rejects.toThrow('Nothing was saved')
      const insisting = transact(async () => {
        await db.query('select 1 / 0').catch(() => {})
        await add('1').catch(() => {})
        return 'saved'
      })
      await expect(insisting).rejects.toThrow('Nothing was saved')
      expect(await saved()).toEqual([])
    })

    it('fails even if a nested transaction caught the error of a refused statement', async () => {
      const whole = transact(async () => {
        await add('1')
        await db.transaction(async () => {
          await db.query('select 1 / 0').catch(() => {})
        })
        return 'saved'
      })
      await expect(whole).rejects.toThrow()
      expect(await saved()).toEqual([])
    })

    it('saves nothing if the commit violates a deferred constraint', async () => {
      const text = "insert into orders (number) values ('1')"
      const whole = transact(async () => {
        await db.query(text)
        await db.query(text)
      })
      await expect(whole).rejects.toSatisfy((error) =>
        isUniqueViolation(error, 'orders_number_key'),
      )
      expect(await saved()).toEqual([])
    })

    it('refuses statements after its end', async () => {
      let late: Promise<unknown> | undefined
      let goOn = () => {}
      const over = new Promise<void>((resolve) => {
        goOn = resolve
      })
      await transact(async () => {
        await add('1')
        late = over.then(() => add('2'))
        late.catch(() => {})
      })
      goOn()
      await expect(late).rejects.toThrow('The transaction ended before')
      expect(await saved()).toEqual(['1'])
    })

    it('throws a TenantSwitchError for a statement of another tenant', async () => {
      const whole = transact(async () => {
        await add('1')
        await runWithTenant('b', () => add('2'))
      })
      await expect(whole).rejects.toThrow(TenantSwitchError)
      expect(await saved()).toEqual([])
      for (const switches of [
        () => db.withTenantTransaction('b', () => add('2')),
        () => runWithTenant('b', () => db.transaction(() => add('2'))),
        () => runWithTenant('b', () => db.query('select 1')),
      ]) {
        await transact(async () => {
          await add('1')
          await expect(switches()).rejects.toThrow(TenantSwitchError)
        })
      }
      expect(await saved()).toEqual(['1', '1', '1'])
    })

    it('uses its tenant again after withoutTenant() inside it', async () => {
      await db.withTenantTransaction('b', () => add('of b'))
      await transact(async () => {
        await add('of a')
        const all = await db.withoutTenant('for the test', () =>
          db.query('select note from orders'),
        )
        expect(all.rowCount).toBe(2)
        expect((await db.query('select note from orders')).rows).toEqual([{ note: 'of a' }])
        await db.withoutTenant('for the test', boom).catch(() => {})
        expect((await db.query('select note from orders')).rows).toEqual([{ note: 'of a' }])
        await expect(
          db.withoutTenant('for the test', () => runWithTenant('b', () => add('2'))),
        ).rejects.toThrow(TenantSwitchError)
        expect((await db.query('select note from orders')).rows).toEqual([{ note: 'of a' }])
      })
      expect((await saved()).toSorted()).toEqual(['of a', 'of b'])
    })

    it('for one tenant runs concurrently with a transaction for another tenant', async () => {
      const both = ['a', 'b'].map((tenant) =>
        db.withTenantTransaction(tenant, async () => {
          await add(`1 of ${tenant}`)
          await new Promise((resolve) => setImmediate(resolve))
          await add(`2 of ${tenant}`)
          return (await db.query('select note from orders order by id')).rows
        }),
      )
      const [ofA, ofB] = await Promise.all(both)
      expect(ofA).toEqual([{ note: '1 of a' }, { note: '2 of a' }])
      expect(ofB).toEqual([{ note: '1 of b' }, { note: '2 of b' }])
    })

    it.each([
      'commit',
      ' \n COMMIT WORK;',
      'commit and chain',
      'rollback',
      'rollback and chain',
      'abort',
      'end',
      'begin',
      'start transaction read only',
      "prepare transaction 'x'",
      '-- a comment\ncommit',
      '/* a /* nested */ comment -- */ commit',
      ';commit',
      '; /* nothing */ ;\n commit',
      '-- a comment\rcommit',
    ])('refuses a statement that begins or ends a transaction: %s', async (text) => {
      await runWithTenant('b', () => add('of b'))
      await transact(async () => {
        await add('1')
        await expect(db.query(text)).rejects.toThrow('cannot be sent as a query')
        expect((await db.query('select tenant_id from orders')).rows).toEqual([{ tenant_id: 'a' }])
        await db.query("update orders set note = 'by a'")
      })
      await expect(asA(() => db.query(text))).rejects.toThrow('cannot be sent as a query')
      expect((await saved()).toSorted()).toEqual(['by a', 'of b'])
    })

    it('may contain savepoints of the application', async () => {
      await transact(async () => {
        await db.query('savepoint mine')
        await add('1')
        await db.query('rollback to savepoint mine')
        await db.query('rollback work to mine')
        await db.query('-- done\nrelease savepoint mine')
        await add('2')
        await db.query("select 'commit' as ending -- commit")
      })
      expect(await saved()).toEqual(['2'])
    })
  })
}
