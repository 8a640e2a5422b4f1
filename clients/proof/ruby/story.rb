# A walk through the service with the client that openapi-generator makes for Ruby.
# Arguments: the service's address, a picture, a user name.
require "adsvc"
require "uri"

PASSWORD = "correct horse battery"

def expect(wanted, got)
  raise "#{got.inspect} instead of #{wanted.inspect}" unless wanted == got
end

address, picture, name = ARGV
uri = URI(address)
Adsvc.configure do |config|
  config.scheme = uri.scheme
  config.host = "#{uri.host}:#{uri.port}"
  config.server_index = nil
end

auth = Adsvc::AuthApi.new
auth.register(Adsvc::Register.new(username: name, password: PASSWORD))
pair = auth.login(Adsvc::Login.new(username: name, password: PASSWORD))
Adsvc.configure { |config| config.access_token = pair.access_token }

ads = Adsvc::AdsApi.new
oak = Adsvc::CreateAd.new(title: "Oak table, seats six", price: 150, description: "Solid oak, oiled.")
raise oak.list_invalid_properties.join unless oak.valid?
ad = File.open(picture) do |file|
  pictures = [file]
  # The generator joins a list of files with commas, and Typhoeus would call its parts `image[]`.
  pictures.define_singleton_method(:join) { |*| first }
  ads.create_ad(oak.to_hash.to_json, pictures)
end
listed = ads.list_ads(sort: "-price")
raise "not listed" unless listed.results.any? { |each| each.pk == ad.pk }
expect(oak.title, ads.get_ad(ad.pk).title)
changed = ads.update_ad(ad.pk, Adsvc::CreateOrUpdateAd.new(title: "Oak table, oiled"))
expect("Oak table, oiled", changed.title)
ads.delete_ad(ad.pk)
begin
  ads.get_ad(ad.pk)
  raise "a deleted ad is there"
rescue Adsvc::ApiError => e
  expect(404, e.code)
end

# A value that a later version may answer.
me = Adsvc::UsersApi.new.get_me.to_hash.merge(role: "AUDITOR")
expect("AUDITOR", Adsvc::User.build_from_hash(me).role)
puts "walked"
