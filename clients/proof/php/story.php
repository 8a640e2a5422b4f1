<?php
// A walk through the service with the client that openapi-generator makes for PHP.
// Arguments: the service's address, a picture, a user name.
declare(strict_types=1);

require "GuzzleHttp/autoload.php";
spl_autoload_register(function (string $class): void {
    $file = __DIR__ . "/target/generated-sources/lib/" . strtr(preg_replace("/^Adsvc./", "", $class), "\\", "/") . ".php";
    if (is_file($file)) {
        require $file;
    }
});

use Adsvc\Api\{AdsApi, AuthApi, UsersApi};
use Adsvc\ApiException;
use Adsvc\Configuration;
use Adsvc\Model\{Ad, CreateAd, CreateOrUpdateAd, Login, Register, Sort, User};
use Adsvc\ObjectSerializer;

const PASSWORD = "correct horse battery";

function expect(mixed $wanted, mixed $got): void
{
    if ($wanted !== $got) {
        throw new Exception(json_encode($got) . " instead of " . json_encode($wanted));
    }
}

[, $address, $picture, $name] = $argv;
$configuration = (new Configuration())->setHost($address);
$auth = new AuthApi(null, $configuration);
$auth->register(new Register(["username" => $name, "password" => PASSWORD]));
$pair = $auth->login(new Login(["username" => $name, "password" => PASSWORD]));
$configuration->setAccessToken($pair->getAccessToken());

$ads = new AdsApi(null, $configuration);
$oak = new CreateAd(["title" => "Oak table, seats six", "price" => 150, "description" => "Solid oak, oiled."]);
expect([], $oak->listInvalidProperties());
// The generator gives the parts of a form names of its own, such as `properties[title]`.
$form = [
    ["name" => "properties", "contents" => json_encode(ObjectSerializer::sanitizeForSerialization($oak))],
    ["name" => "image", "contents" => fopen($picture, "r"), "filename" => "photo.jpg"],
];
$bearer = ["Authorization" => "Bearer " . $pair->getAccessToken()];
$answer = (new GuzzleHttp\Client())->post("$address/ads", ["multipart" => $form, "headers" => $bearer]);
expect(201, $answer->getStatusCode());
$ad = ObjectSerializer::deserialize(json_decode((string) $answer->getBody()), Ad::class);
$found = array_filter($ads->listAds(sort: Sort::DEAREST)->getResults(), fn ($each) => $each->getPk() === $ad->getPk());
expect(1, count($found));
expect($oak->getTitle(), $ads->getAd($ad->getPk())->getTitle());
$changed = $ads->updateAd($ad->getPk(), new CreateOrUpdateAd(["title" => "Oak table, oiled"]));
expect("Oak table, oiled", $changed->getTitle());
$ads->deleteAd($ad->getPk());
try {
    $ads->getAd($ad->getPk());
    throw new Exception("a deleted ad is there");
} catch (ApiException $error) {
    expect(404, $error->getCode());
}

// A value that a later version may answer.
$me = ObjectSerializer::sanitizeForSerialization((new UsersApi(null, $configuration))->getMe());
$me->role = "AUDITOR";
expect("AUDITOR", ObjectSerializer::deserialize($me, User::class)->getRole());
echo "walked\n";
