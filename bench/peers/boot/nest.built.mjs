function _ts_decorate(decorators, target, key, desc) {
    var c = arguments.length, r = c < 3 ? target : desc === null ? desc = Object.getOwnPropertyDescriptor(target, key) : desc, d;
    if (typeof Reflect === "object" && typeof Reflect.decorate === "function") {
        r = Reflect.decorate(decorators, target, key, desc);
    } else {
        for(var i = decorators.length - 1; i >= 0; i--){
            if (d = decorators[i]) {
                r = (c < 3 ? d(r) : c > 3 ? d(target, key, r) : d(target, key)) || r;
            }
        }
    }
    return c > 3 && r && Object.defineProperty(target, key, r), r;
}
function _ts_metadata(metadataKey, metadataValue) {
    if (typeof Reflect === "object" && typeof Reflect.metadata === "function") {
        return Reflect.metadata(metadataKey, metadataValue);
    }
}
function _ts_param(paramIndex, decorator) {
    return function(target, key) {
        decorator(target, key, paramIndex);
    };
}
// The API of the boot benchmark as NestJS' documentation recommends: classes with decorators for bodies, ValidationPipe, @nestjs/swagger.
import 'reflect-metadata';
import { Body, Controller, Delete, Get, Module, Param, Patch, Post, Put, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ApiOkResponse, ApiProperty, ApiPropertyOptional, DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import '@nestjs/platform-express';
import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsBoolean, IsEmail, IsIn, IsInt, IsNumber, IsOptional, IsString, Length, Max, MaxLength, Min, ValidateNested } from 'class-validator';
import { beginPhase, CONTROLLERS, endPhase } from '../../boot/phase.mjs';
const phase = beginPhase();
/** Classes are components of the document by their names, which an author would have made up. */ function named(target, name) {
    return Object.defineProperty(target, 'name', {
        value: name
    });
}
/** Every class is made anew, and says something else than any other. */ function defineBody(n) {
    let AddressDto = class AddressDto {
    };
    _ts_decorate([
        ApiProperty({
            minLength: 1,
            maxLength: 200
        }),
        IsString(),
        Length(1, 200),
        _ts_metadata("design:type", String)
    ], AddressDto.prototype, "street", void 0);
    _ts_decorate([
        ApiProperty({
            minLength: 1,
            maxLength: 100
        }),
        IsString(),
        Length(1, 100),
        _ts_metadata("design:type", String)
    ], AddressDto.prototype, "city", void 0);
    _ts_decorate([
        ApiProperty({
            minLength: 3,
            maxLength: 12
        }),
        IsString(),
        Length(3, 12),
        _ts_metadata("design:type", String)
    ], AddressDto.prototype, "zip", void 0);
    named(AddressDto, `Address${n}Dto`);
    let ThingDto = class ThingDto {
    };
    _ts_decorate([
        ApiProperty({
            minLength: 1,
            maxLength: 100 + n
        }),
        IsString(),
        Length(1, 100 + n),
        _ts_metadata("design:type", String)
    ], ThingDto.prototype, "name", void 0);
    _ts_decorate([
        ApiProperty({
            format: 'email'
        }),
        IsEmail(),
        _ts_metadata("design:type", String)
    ], ThingDto.prototype, "email", void 0);
    _ts_decorate([
        ApiProperty({
            type: 'integer',
            minimum: 1,
            maximum: 1000
        }),
        IsInt(),
        Min(1),
        Max(1000),
        _ts_metadata("design:type", Number)
    ], ThingDto.prototype, "quantity", void 0);
    _ts_decorate([
        ApiProperty({
            minimum: 0
        }),
        IsNumber(),
        Min(0),
        _ts_metadata("design:type", Number)
    ], ThingDto.prototype, "price", void 0);
    _ts_decorate([
        ApiProperty({
            enum: [
                'draft',
                'open',
                'closed'
            ]
        }),
        IsIn([
            'draft',
            'open',
            'closed'
        ]),
        _ts_metadata("design:type", String)
    ], ThingDto.prototype, "status", void 0);
    _ts_decorate([
        ApiProperty({
            type: [
                String
            ],
            maxItems: 10
        }),
        IsArray(),
        ArrayMaxSize(10),
        IsString({
            each: true
        }),
        MaxLength(40, {
            each: true
        }),
        _ts_metadata("design:type", Array)
    ], ThingDto.prototype, "tags", void 0);
    _ts_decorate([
        ApiPropertyOptional(),
        IsOptional(),
        IsBoolean(),
        _ts_metadata("design:type", Boolean)
    ], ThingDto.prototype, "isActive", void 0);
    _ts_decorate([
        ApiProperty({
            type: AddressDto
        }),
        ValidateNested(),
        Type(()=>AddressDto),
        _ts_metadata("design:type", typeof AddressDto === "undefined" ? Object : AddressDto)
    ], ThingDto.prototype, "address", void 0);
    return named(ThingDto, `Thing${n}Dto`);
}
function defineController(n) {
    // biome-ignore-start lint/correctness/noUnusedVariables: types of parameters, which reach ValidationPipe in what the compiler emits
    const Create = defineBody(n * 5);
    const Replace = defineBody(n * 5 + 1);
    const Change = defineBody(n * 5 + 2);
    const AddPart = defineBody(n * 5 + 3);
    const ReplacePart = defineBody(n * 5 + 4);
    // biome-ignore-end lint/correctness/noUnusedVariables: as above
    let ThingsController = class ThingsController {
        list() {
            return [];
        }
        get(id) {
            return {
                id
            };
        }
        history(id) {
            return {
                id
            };
        }
        getPart(id, partId) {
            return {
                id,
                partId
            };
        }
        remove(id) {
            return {
                id
            };
        }
        create(body) {
            return body;
        }
        replace(_id, body) {
            return body;
        }
        change(_id, body) {
            return body;
        }
        addPart(_id, body) {
            return body;
        }
        replacePart(_id, _partId, body) {
            return body;
        }
    };
    _ts_decorate([
        Get(),
        ApiOkResponse({
            description: 'The things'
        }),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", []),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "list", null);
    _ts_decorate([
        Get(':id'),
        ApiOkResponse({
            description: 'The thing'
        }),
        _ts_param(0, Param('id')),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            String
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "get", null);
    _ts_decorate([
        Get(':id/history'),
        ApiOkResponse({
            description: 'What happened to the thing'
        }),
        _ts_param(0, Param('id')),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            String
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "history", null);
    _ts_decorate([
        Get(':id/parts/:partId'),
        ApiOkResponse({
            description: 'The part'
        }),
        _ts_param(0, Param('id')),
        _ts_param(1, Param('partId')),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            String,
            String
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "getPart", null);
    _ts_decorate([
        Delete(':id'),
        ApiOkResponse({
            description: 'The thing that was'
        }),
        _ts_param(0, Param('id')),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            String
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "remove", null);
    _ts_decorate([
        Post(),
        ApiOkResponse({
            description: 'The new thing'
        }),
        _ts_param(0, Body()),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            typeof Create === "undefined" ? Object : Create
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "create", null);
    _ts_decorate([
        Put(':id'),
        ApiOkResponse({
            description: 'The thing'
        }),
        _ts_param(0, Param('id')),
        _ts_param(1, Body()),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            String,
            typeof Replace === "undefined" ? Object : Replace
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "replace", null);
    _ts_decorate([
        Patch(':id'),
        ApiOkResponse({
            description: 'The thing'
        }),
        _ts_param(0, Param('id')),
        _ts_param(1, Body()),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            String,
            typeof Change === "undefined" ? Object : Change
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "change", null);
    _ts_decorate([
        Post(':id/parts'),
        ApiOkResponse({
            description: 'The new part'
        }),
        _ts_param(0, Param('id')),
        _ts_param(1, Body()),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            String,
            typeof AddPart === "undefined" ? Object : AddPart
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "addPart", null);
    _ts_decorate([
        Put(':id/parts/:partId'),
        ApiOkResponse({
            description: 'The part'
        }),
        _ts_param(0, Param('id')),
        _ts_param(1, Param('partId')),
        _ts_param(2, Body()),
        _ts_metadata("design:type", Function),
        _ts_metadata("design:paramtypes", [
            String,
            String,
            typeof ReplacePart === "undefined" ? Object : ReplacePart
        ]),
        _ts_metadata("design:returntype", void 0)
    ], ThingsController.prototype, "replacePart", null);
    ThingsController = _ts_decorate([
        Controller(`things-${n}`)
    ], ThingsController);
    return named(ThingsController, `Things${n}Controller`);
}
const controllers = Array.from({
    length: CONTROLLERS
}, (_, n)=>defineController(n));
let AppModule = class AppModule {
};
AppModule = _ts_decorate([
    Module({
        controllers
    })
], AppModule);
const app = await NestFactory.create(AppModule, {
    logger: false
});
app.useGlobalPipes(new ValidationPipe({
    transform: true
}));
const info = new DocumentBuilder().setTitle('API').setVersion('1.0.0').build();
const document = SwaggerModule.createDocument(app, info);
await app.listen(0, '127.0.0.1');
endPhase(phase, {
    port: app.getHttpServer().address().port,
    text: JSON.stringify(document)
});
