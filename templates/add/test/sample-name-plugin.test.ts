import assert from 'node:assert/strict';
import { Controller, Get } from 'blazon';
import { TestApp } from 'blazon/testing';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { SampleName, sampleNamePlugin } from '../src/sample-name-plugin.js';

@Controller('routes')
class RoutesController {
  @SampleName('on')
  @Get('with')
  withOption() {
    return {};
  }

  @Get('without')
  withoutOption() {
    return {};
  }
}

describe('sampleNamePlugin', () => {
  let app: TestApp;

  beforeEach(async () => {
    app = await TestApp.create({
      controllers: [RoutesController],
      plugins: [sampleNamePlugin],
      contract: 'throw',
    });
  });

  afterEach(() => app?.close());

  it('adds a header to the response of a route with the option', async () => {
    const { headers } = await app.request().get('/routes/with').expect(200);
    assert.equal(headers['x-sample-name'], 'on');
  });

  it('does not change the response of a route without the option', async () => {
    const { headers } = await app.request().get('/routes/without').expect(200);
    assert.equal(headers['x-sample-name'], undefined);
  });
});
