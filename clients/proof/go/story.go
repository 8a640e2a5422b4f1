// A walk through the service with the client that oapi-codegen makes.
// Arguments: the service's address, a picture, a user name.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"os"

	"adsvc/proof/adsvc"
)

const password = "correct horse battery"

func main() {
	address, picture, name := os.Args[1], os.Args[2], os.Args[3]
	var token string
	authorize := func(_ context.Context, request *http.Request) error {
		if token != "" {
			request.Header.Set("Authorization", "Bearer "+token)
		}
		return nil
	}
	client, err := adsvc.NewClientWithResponses(address, adsvc.WithRequestEditorFn(authorize))
	must(err)
	ctx := context.Background()

	registered, err := client.RegisterWithResponse(ctx, nil, adsvc.Register{Username: name, Password: password})
	must(err)
	expect(201, registered.StatusCode(), registered.Body)
	loggedIn, err := client.LoginWithResponse(ctx, adsvc.Login{Username: name, Password: password})
	must(err)
	expect(200, loggedIn.StatusCode(), loggedIn.Body)
	token = loggedIn.JSON200.AccessToken

	price := int32(150)
	form, kind := createForm(adsvc.CreateAd{Title: "Oak table, seats six", Price: &price, Description: "Solid oak, oiled."}, picture)
	created, err := client.CreateAdWithBodyWithResponse(ctx, nil, kind, form)
	must(err)
	expect(201, created.StatusCode(), created.Body)
	id := created.JSON201.Pk

	sort := adsvc.SortDEAREST
	listed, err := client.ListAdsWithResponse(ctx, &adsvc.ListAdsParams{Sort: &sort})
	must(err)
	expect(200, listed.StatusCode(), listed.Body)
	read, err := client.GetAdWithResponse(ctx, id, nil)
	must(err)
	expect(200, read.StatusCode(), read.Body)
	title := "Oak table, oiled"
	changed, err := client.UpdateAdWithResponse(ctx, id, nil, adsvc.CreateOrUpdateAd{Title: &title})
	must(err)
	expect(200, changed.StatusCode(), changed.Body)
	if changed.JSON200.Title != title {
		log.Fatalf("%s", changed.Body)
	}
	deleted, err := client.DeleteAdWithResponse(ctx, id, nil)
	must(err)
	expect(204, deleted.StatusCode(), deleted.Body)
	missing, err := client.GetAdWithResponse(ctx, id, nil)
	must(err)
	expect(404, missing.StatusCode(), missing.Body)

	// A value that a later version may answer.
	me, err := client.GetMeWithResponse(ctx, nil)
	must(err)
	later := bytes.Replace(me.Body, []byte(`"USER"`), []byte(`"AUDITOR"`), 1)
	var user adsvc.User
	must(json.Unmarshal(later, &user))
	if user.Role != "AUDITOR" {
		log.Fatalf("%s", user.Role)
	}
	fmt.Println("walked")
}

func createForm(ad adsvc.CreateAd, picture string) (io.Reader, string) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	header := textproto.MIMEHeader{}
	header.Set("Content-Disposition", `form-data; name="properties"`)
	header.Set("Content-Type", "application/json")
	part, err := form.CreatePart(header)
	must(err)
	must(json.NewEncoder(part).Encode(ad))
	file, err := os.Open(picture)
	must(err)
	defer file.Close()
	image, err := form.CreateFormFile("image", "photo.jpg")
	must(err)
	_, err = io.Copy(image, file)
	must(err)
	must(form.Close())
	return &body, form.FormDataContentType()
}

func expect(wanted, got int, body []byte) {
	if wanted != got {
		log.Fatalf("%d instead of %d: %s", got, wanted, body)
	}
}

func must(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
